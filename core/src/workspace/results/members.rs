//! What a subject has results for: the hub, or the clusters that it picks.

use crate::engine::select::Cluster;
use crate::value::Text;
use crate::workspace::store::View;
use crate::workspace::subject::Subject;
use crate::workspace::targets::Targets;

/// A target of a subject.
pub(super) enum Member<'a> {
    Hub(Cluster),
    Cluster(&'a Cluster),
}

impl AsRef<Cluster> for Member<'_> {
    fn as_ref(&self) -> &Cluster {
        match self {
            Member::Hub(hub) => hub,
            Member::Cluster(cluster) => cluster,
        }
    }
}

/// All targets of a subject.
pub(super) fn members<'a>(view: View<'a>, subject: &dyn Subject) -> Vec<Member<'a>> {
    match subject.targets() {
        Targets::Hub => vec![Member::Hub(Cluster::default())],
        Targets::Fleet(scope, picks) => {
            let fleet = view.store.fleet(scope).into_iter();
            fleet.flat_map(|fleet| picks.members(fleet)).map(Member::Cluster).collect()
        }
    }
}

/// The target of a name, if the subject has it.
pub(super) fn member<'a>(view: View<'a>, subject: &dyn Subject, name: &Text) -> Option<Member<'a>> {
    match subject.targets() {
        Targets::Hub => name.is_empty().then(|| Member::Hub(Cluster::default())),
        Targets::Fleet(scope, picks) => {
            let cluster = view.store.fleet(scope)?.get(name)?;
            picks.picks(cluster).then_some(Member::Cluster(cluster))
        }
    }
}
