package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"fleetfold.dev/oracles/internal/splitmix"
)

// seed starts every draw.
const seed = 0x4C414D494E41

// write puts all inputs into folder, compact, keys sorted by byte, characters as they are.
func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, value := range map[string]any{
		"clusters-10000.json":  clusters(10_000),
		"clusters-100000.json": clusters(100_000),
		"selector.json":        selector(),
		"deployment.json":      deployment(),
		"patch.json":           patch(),
		"live.json":            live(),
		"values-1.json":        values(1),
		"values-2.json":        values(2),
		"values-3.json":        values(3),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), compact(value), 0o644); err != nil {
			return err
		}
	}
	return nil
}

type cluster struct {
	Labels map[string]string `json:"labels"`
	Name   string            `json:"name"`
}

// clusters are the first count of an endless list, so the large fleet starts with the small one. The order of
// the draws and their ranges are given by the research note, the names of keys and values are ours.
func clusters(count int) []cluster {
	chance := splitmix.New(seed)
	numbered := func(prefix string, below int) string { return fmt.Sprintf("%s-%d", prefix, chance.Below(below)) }
	all := make([]cluster, count)
	for i := range all {
		name := fmt.Sprintf("cluster-%06d", i)
		// The draws happen in this order.
		environment := []string{"dev", "dev", "dev", "dev", "stage", "stage", "prod", "prod", "prod",
			"prod"}[chance.Below(10)]
		region := numbered("region", 8)
		provider := numbered("provider", 4)
		tier := []string{"gold", "silver", "bronze"}[chance.Below(3)]
		version := fmt.Sprintf("v1.%d", 30+chance.Below(7))
		team := numbered("team", 40)
		set := numbered("set", 20)
		zone := numbered("zone", 3)
		gpu := chance.Below(10) == 0
		arch := "amd64"
		if chance.Below(5) == 0 {
			arch = "arm64"
		}
		all[i] = cluster{Name: name, Labels: map[string]string{
			"environment": environment, "region": region, "provider": provider, "tier": tier, "version": version,
			"team": team, "set": set, "zone": zone, "gpu": fmt.Sprint(gpu), "arch": arch,
			"topology.kubernetes.io/region": region, "name": name,
		}}
	}
	return all
}

// selector is the one of four requirements. Which tier, regions and teams it names was found by search: these, the
// most regular of those possible, select 457 of the 10,000 and 4,625 of the 100,000 clusters, as in the research note.
func selector() any {
	return map[string]any{
		"matchLabels": map[string]any{"environment": "prod", "tier": "gold"},
		"matchExpressions": []any{
			map[string]any{"key": "region", "operator": "In", "values": []any{"region-0", "region-1", "region-2"}},
			map[string]any{"key": "team", "operator": "NotIn", "values": []any{"team-3", "team-7", "team-11"}},
		},
	}
}

// values is one of three layers of Helm values, 1 the lowest. The lowest has 12 sections of 8 leaves and a table of
// 4; the others set 3 leaves and 2 entries of the table in each, of which they share one each. The last
// leaf is stretched so that the layers have the sizes of the research note.
func values(layer int) any {
	chance := splitmix.New(seed + uint64(layer))
	leaves := map[int][]int{1: {0, 1, 2, 3, 4, 5, 6, 7}, 2: {0, 2, 4}, 3: {1, 2, 5}}[layer]
	entries := map[int][]int{1: {0, 1, 2, 3}, 2: {0, 1}, 3: {1, 2}}[layer]
	leaf := func() any {
		switch chance.Below(4) {
		case 0:
			return chance.Below(1_000_000)
		case 1:
			return chance.Below(2) == 0
		default:
			return fmt.Sprintf("value-%06d", chance.Below(1_000_000))
		}
	}
	tree, section := map[string]any{}, map[string]any{}
	for i := range 12 {
		section = map[string]any{}
		for _, j := range leaves {
			section[fmt.Sprintf("leaf-%d", j)] = leaf()
		}
		table := map[string]any{}
		for _, j := range entries {
			table[fmt.Sprintf("entry-%d", j)] = leaf()
		}
		section["table"] = table
		tree[fmt.Sprintf("section-%02d", i)] = section
	}
	size := map[int]int{1: 3237, 2: 1487, 3: 1486}[layer]
	return stretched(tree, size, func(filler string) {
		section[fmt.Sprintf("leaf-%d", leaves[len(leaves)-1])] = filler
	})
}

// stretched is value with a filler set so that its text has exactly size bytes.
func stretched(value any, size int, set func(filler string)) any {
	set("")
	missing := size - len(compact(value))
	if missing < 0 {
		panic(fmt.Sprintf("an input is %d bytes too long", -missing))
	}
	set(string(bytes.Repeat([]byte("x"), missing)))
	return value
}

func compact(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // only maps, lists, strings and numbers come here
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
