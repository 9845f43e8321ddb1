//! `fleetfold authorize`: checks whether a user may change labels.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fleetfold_core::Value;
use fleetfold_core::api::authorize::{Authorize, AuthorizeAnswer, AuthorizeUser};
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::explain::{Explain, ExplainAnswer};
use serde::Serialize;

use super::fleet::{Fleet, FleetArgs};
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::explain::{Permission, permission};
use crate::source;

/// Check whether a user may change the labels of a ManagedCluster, and which cluster sets it joins and leaves
///
/// Takes the change as labels of a loaded cluster, or as the complete object before and after. Roles, bindings and
/// cluster sets come from the documents. Exits with 1 when the change is not allowed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold authorize -f fleet --user eve --group dev --cluster c1 \
    --label cluster.open-cluster-management.io/clusterset=dev
  fleetfold authorize -f fleet --user eve --cluster c1 --label env-                     a label is taken off
  fleetfold authorize -f fleet --user eve --old before.yaml --new after.yaml
  fleetfold authorize -f fleet --user eve --new after.yaml                              the cluster is created")]
pub struct Args {
    #[command(flatten)]
    fleet: FleetArgs,

    /// The user who makes the change
    #[arg(long, value_name = "NAME")]
    user: String,

    /// A group of the user; may be given again
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,

    /// The cluster that is changed
    #[arg(long, value_name = "NAME", requires = "labels", required_unless_present_any = ["old", "new"])]
    cluster: Option<String>,

    /// `key=value` adds a label, `key-` removes it; may be given again
    #[arg(long = "label", value_name = "LABEL", requires = "cluster", value_parser = label)]
    labels: Vec<(String, Option<String>)>,

    /// A file with the ManagedCluster before the change; without it, the cluster is created
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    old: Option<PathBuf>,

    /// A file with the ManagedCluster after the change; without it, the cluster is deleted
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    new: Option<PathBuf>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::NAMELESS))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    match &args.cluster {
        Some(cluster) => {
            let answer = ask(&mut fleet, &args.user, &args.groups, cluster, &args.labels)?;
            finish(args, &fleet, &answer, Permission::from(&answer), screen)
        }
        None => {
            let answer = ask_whole(args, &mut fleet)?;
            finish(args, &fleet, &answer, Permission::from(&answer), screen)
        }
    }
}

fn finish(
    args: &Args,
    fleet: &Fleet,
    answer: &impl Serialize,
    shown: Permission,
    screen: Screen,
) -> Result<ExitCode, Failure> {
    print_answer(args.output, answer, || permission(&args.user, shown, screen.out), Vec::new)?;
    Ok(fleet.finish(u8::from(!shown.is_granted()), screen.err))
}

/// Checks a label change of a loaded cluster.
pub fn ask(
    fleet: &mut Fleet,
    user: &str,
    groups: &[String],
    cluster: &str,
    labels: &[(String, Option<String>)],
) -> Result<ExplainAnswer, Failure> {
    let labels = labels.iter().map(|(key, value)| (key.into(), value.as_deref().map_or(Value::Null, Value::from)));
    fleet.call(&Explain {
        user: Some(who(user, groups)),
        cluster: Some(cluster.into()),
        labels: Some(labels.collect()),
        ..Explain::default()
    })
}

/// Checks a change of the complete object.
fn ask_whole(args: &Args, fleet: &mut Fleet) -> Result<AuthorizeAnswer, Failure> {
    let max = args.fleet.max_file_size();
    let old = args.old.as_deref().map(|it| only_document(fleet, it, max)).transpose()?;
    let new = args.new.as_deref().map(|it| only_document(fleet, it, max)).transpose()?;
    let documents = fleet.documents()?;
    let settings = fleet.call(&Configure::default())?;
    fleet.call(&Authorize {
        user: who(&args.user, &args.groups),
        old,
        new,
        documents: Some(documents),
        stage: Some(settings.stage),
        ..Authorize::default()
    })
}

fn only_document(fleet: &mut Fleet, path: &Path, max: usize) -> Result<Value, Failure> {
    let read = source::read_all(&[path.to_owned()], max)?;
    let mut documents = Vec::new();
    for file in &read.files {
        documents.extend(fleet.parse(&file.name, &file.text)?);
    }
    match documents.as_slice() {
        [document] => Ok(document.clone()),
        others => {
            let message = format!("`{}` holds {} documents", path.display(), others.len());
            Err(Failure::new(message, "give a file with one ManagedCluster"))
        }
    }
}

fn who(user: &str, groups: &[String]) -> AuthorizeUser {
    let groups = (!groups.is_empty()).then(|| groups.iter().map(Into::into).collect());
    AuthorizeUser { name: user.into(), groups }
}

/// A label as `kubectl label` takes it: `key=value`, or `key-` to remove it.
pub fn label(text: &str) -> Result<(String, Option<String>), String> {
    match (text.split_once('='), text.strip_suffix('-')) {
        (Some((key, value)), _) if !key.is_empty() => Ok((key.to_owned(), Some(value.to_owned()))),
        (None, Some(key)) if !key.is_empty() => Ok((key.to_owned(), None)),
        _ => Err("write `key=value` to put a label on, or `key-` to take it off".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_put_on_and_taken_off() {
        assert_eq!(label("a/b=c=d"), Ok(("a/b".into(), Some("c=d".into()))));
        assert_eq!(label("a="), Ok(("a".into(), Some(String::new()))));
        assert_eq!(label("a-"), Ok(("a".into(), None)));
        for text in ["a", "=b", "-", ""] {
            assert!(label(text).is_err(), "{text}");
        }
    }
}
