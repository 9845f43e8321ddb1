{{/* In front of all names. */}}
{{- define "fleetfold.fullname" -}}
{{- $name := default .Release.Name .Values.fullnameOverride -}}
{{- if and (not .Values.fullnameOverride) (not (contains .Chart.Name $name)) -}}
{{- $name = printf "%s-%s" $name .Chart.Name -}}
{{- end -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* What selects the pods of one component: (list . "runner") */}}
{{- define "fleetfold.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* The labels of every object: (list . "runner") */}}
{{- define "fleetfold.labels" -}}
{{- $root := index . 0 -}}
{{ include "fleetfold.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "fleetfold.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The enabled dialects, in the order of the program: a JSON list. */}}
{{- define "fleetfold.dialects" -}}
{{- $on := list -}}
{{- range list "greenhouse" "ocm" "kubefed" "kudo" "certmanager" -}}
{{- if index $.Values.dialects . -}}{{- $on = append $on . -}}{{- end -}}
{{- end -}}
{{- if not $on -}}{{- fail "dialects: at least one must be on, or there is nothing to do" -}}{{- end -}}
{{- toJson $on -}}
{{- end -}}

{{/* A file of rbac/ with this release's names, namespace and labels: (list . "rbac/base.yaml") */}}
{{- define "fleetfold.rights" -}}
{{- $root := index . 0 -}}
{{- $labelled := printf "metadata:\n  labels:\n%s" (include "fleetfold.labels" (list $root "rights") | indent 4) -}}
{{- $text := $root.Files.Get (index . 1) -}}
{{- if not $root.Values.webhook.enabled -}}
{{- $text = regexReplaceAll "(?m)^.*kind: ServiceAccount, name: fleetfold-webhook.*\n?" $text "" -}}
{{- end -}}
{{- $text = replace "name: fleetfold-" (printf "name: %s-" (include "fleetfold.fullname" $root)) $text -}}
{{- $text = replace "namespace: fleetfold-system" (printf "namespace: %s" $root.Release.Namespace) $text -}}
{{ regexReplaceAll "(?m)^metadata:$" $text $labelled }}
{{- end -}}

{{/* The Secret with the key of digests; empty if there is none. */}}
{{- define "fleetfold.digestKey" -}}
{{- with .Values.runner.digestKey -}}
{{- if eq .mode "secret" -}}{{ .secretName }}{{- else if eq .mode "generate" -}}{{ include "fleetfold.fullname" $ }}-digest-key{{- end -}}
{{- end -}}
{{- end -}}

{{/* Where the webhook's certificate is. */}}
{{- define "fleetfold.certificate" -}}
{{- with .Values.webhook.certificate -}}
{{- if eq .mode "secret" -}}{{ .secretName }}{{- else -}}{{ include "fleetfold.fullname" $ }}-webhook-cert{{- end -}}
{{- end -}}
{{- end -}}

{{/* What a pod is made of, whatever it runs: (list . "runner" values) */}}
{{- define "fleetfold.pod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- with index . 2 -}}
serviceAccountName: {{ include "fleetfold.fullname" $root }}-{{ $component }}
automountServiceAccountToken: true
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- if not (kindIs "invalid" $root.Values.podUser) }}
  runAsUser: {{ int64 $root.Values.podUser }}
  runAsGroup: {{ int64 $root.Values.podUser }}
  fsGroup: {{ int64 $root.Values.podUser }}
  {{- end }}
  seccompProfile: {type: RuntimeDefault}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "fleetfold.selector" (list $root $component) | nindent 8 }}
  {{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* What a container is made of, whatever it runs. */}}
{{- define "fleetfold.container" -}}
image: {{ include "fleetfold.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{/* What a container asks for and at most gets: (list "runner" values engines). Each engine may have all of its memory, and the program
holds answers of each beside it. */}}
{{- define "fleetfold.resources" -}}
{{- $component := index . 0 -}}
{{- $engines := index . 2 -}}
{{- with index . 1 -}}
{{- $engine := int .engineMemoryMiB -}}
{{- if hasKey (default dict .resources.limits) "memory" -}}
{{- fail (printf "%s.resources.limits.memory: follows from %s.engineMemoryMiB" $component $component) -}}
{{- end -}}
{{- $limits := merge (dict "memory" (printf "%dMi" (add (mul $engines (add $engine (div $engine 2))) 256))) (default dict .resources.limits) -}}
{{- merge (dict "limits" $limits) (omit .resources "limits") | toYaml -}}
{{- end -}}
{{- end -}}

{{- /* The flags of those limits that are set, as a list. Null is none, and zero is one. */}}
{{- define "fleetfold.limits" -}}
{{- $flags := list }}
{{- range $name, $flag := dict "maxDeletes" "max-deletes" "maxDeletePercent" "max-delete-percent" "maxChanges" "max-changes" }}
{{- $number := index $ $name }}
{{- if not (kindIs "invalid" $number) }}
{{- $flags = append $flags (printf "--%s=%d" $flag (int $number)) }}
{{- end }}
{{- end }}
{{- $flags | toJson }}
{{- end }}
