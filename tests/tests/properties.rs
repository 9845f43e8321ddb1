//! The properties of the engine, each held against generated inputs.

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::engine::diff::diff;
use fleetfold_core::engine::fold::{Folded, Layer, Setting, Source, fold};
use fleetfold_core::engine::matching::{DifferenceKind, differences, update};
use fleetfold_core::engine::ownership::{AdoptAction, Owner, ReleaseAction, adopt, release};
use fleetfold_core::engine::patch::patch;
use fleetfold_core::engine::retain::{Rules, retain};
use fleetfold_core::object::kinds::retention::STRICT;
use fleetfold_core::value::json;
use fleetfold_core::value::path::{OptionPath, Pointer, RetentionPath};
use fleetfold_tests::generate::{any_value, custom, pair};
use fleetfold_tests::properties::hold;
use proptest::prelude::*;

#[test]
fn what_is_written_is_read_back() {
    hold("read back", 2_000, any_value(), |value| {
        let text = value.to_canonical();
        let back = json::parse(&text).map_err(|error| TestCaseError::fail(format!("{error:?} in {text}")))?;
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(back.to_canonical(), text);
        Ok(())
    });
}

#[test]
fn a_pointer_prints_back_and_leads_there() {
    hold("pointers", 2_000, prop::collection::vec("[ -~]{0,4}", 0..5), |segments| {
        let pointer = Pointer::of(segments);
        prop_assert_eq!(Pointer::parse(&pointer.to_string()).ok(), Some(pointer));
        Ok(())
    });
}

#[test]
fn the_difference_of_two_values_leads_from_one_to_the_other() {
    hold("diff", 2_000, (any_value(), any_value()), |(from, to)| {
        let patched = patch(from.clone(), &diff(&from, &to), Mode::Strict, &mut Vec::new());
        // A generated value may well have a `kind`, which no patch may change.
        prop_assume!(from.get("kind") == to.get("kind") && from.get("metadata") == to.get("metadata"));
        prop_assert_eq!(patched.ok(), Some(to));
        Ok(())
    });
}

#[test]
fn a_match_is_contained_in_itself_and_in_more() {
    hold("contained", 2_000, (any_value(), any_value()), |(value, more)| {
        prop_assert!(differences(&value, &value, None).is_empty());
        let mut wider = value.clone();
        if let Some(map) = wider.as_map_mut() {
            map.insert("more than desired", more);
        }
        prop_assert!(differences(&value, &wider, None).is_empty());
        Ok(())
    });
}

#[test]
fn after_an_update_only_the_immutable_differs() {
    hold("update, then match", 4_000, pair(), |(desired, live)| {
        let first = update(&desired, &live, None, Mode::Strict).unwrap();
        let after = first.object.unwrap_or_else(|| live.clone());
        let second = update(&desired, &after, None, Mode::Strict).unwrap();
        let left: Vec<_> = second.differences.iter().filter(|it| it.kind != DifferenceKind::Immutable).collect();
        prop_assert!(left.is_empty(), "left after the update: {left:?}");
        prop_assert_eq!(second.object, None);
        Ok(())
    });
}

#[test]
fn the_patch_of_an_update_gives_the_update() {
    hold("update as patch", 2_000, pair(), |(desired, live)| {
        let update = update(&desired, &live, None, Mode::Strict).unwrap();
        let patched = patch(live.clone(), &update.patch, Mode::Strict, &mut Vec::new());
        prop_assert_eq!(patched.ok(), Some(update.object.unwrap_or(live)));
        Ok(())
    });
}

#[test]
fn three_ways_a_removed_value_goes_and_a_foreign_one_stays() {
    hold("removal", 2_000, (custom(), custom(), any_value()), |(desired, live, foreign)| {
        // What was applied last had one annotation more, and somebody else added another.
        let with = |object: &Value, key: &str, value: Value| {
            let mut object = object.clone();
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
                let annotations =
                    metadata.entry_or("annotations", || Value::map::<&str, Value>([])).and_then(Value::as_map_mut);
                annotations.map(|map| map.insert(key, value));
            }
            object
        };
        let last = with(&desired, "removed", "1".into());
        let live = with(&with(&live, "removed", "1".into()), "foreign", foreign.clone());
        let desired = with(&desired, "kept", "1".into());
        let after = update(&desired, &live, Some(&last), Mode::Strict).unwrap().object.unwrap_or(live);
        prop_assert_eq!(after.at(&["metadata", "annotations", "removed"]), None);
        prop_assert_eq!(after.at(&["metadata", "annotations", "foreign"]), Some(&foreign));
        Ok(())
    });
}

#[test]
fn retaining_twice_changes_nothing() {
    let rules = Rules {
        builtin: STRICT,
        phase: None,
        fields: ["spec.replicas", "spec.template.spec.containers[].image", "spec.ports[].nodePort"]
            .map(|path| RetentionPath::parse(path).unwrap())
            .into(),
        labels: vec!["a".into()],
        retain_replicas: false,
    };
    hold("retain twice", 4_000, pair(), |(desired, live)| {
        let once = retain(&desired, &live, &rules, &mut Vec::new()).unwrap();
        let twice = retain(&once.object, &live, &rules, &mut Vec::new()).unwrap();
        prop_assert_eq!(&twice.object, &once.object);
        prop_assert!(twice.retained.is_empty());
        let alone = retain(&live, &live, &rules, &mut Vec::new()).unwrap();
        prop_assert_eq!(alone.object, live);
        Ok(())
    });
}

#[test]
fn adopting_twice_changes_nothing_and_releasing_undoes_it() {
    hold("adopt, release", 2_000, (pair(), any::<bool>()), |((desired, _), namespaced)| {
        // An empty map and none are the same to the API server, which stores none.
        prop_assume!(desired.at(&["metadata", "annotations"]).is_none_or(|it| !it.is_empty()));
        let owner = |uid: &str| Owner {
            api_version: "kudo.dev/v1beta1".into(),
            kind: "OperatorVersion".into(),
            name: "a".into(),
            uid: uid.into(),
            namespace: namespaced.then(|| "db".into()),
            controller: false,
        };
        let adopted =
            |owner: &Owner, live: Option<&Value>| adopt(owner, &desired, live, Mode::Strict, &mut Vec::new()).unwrap();
        let created = adopted(&owner("1"), None);
        prop_assert_eq!(created.action, AdoptAction::Create);
        let object = created.object.unwrap();
        prop_assert_eq!(adopted(&owner("1"), Some(&object)).action, AdoptAction::None);

        let shared = adopted(&owner("2"), Some(&object)).object.unwrap();
        let first = release(&owner("1"), &shared).unwrap();
        prop_assert_eq!(first.action, ReleaseAction::RemoveOwner);
        let left = patch(shared, &first.patch, Mode::Strict, &mut Vec::new()).unwrap();
        prop_assert_eq!(release(&owner("2"), &left).unwrap().action, ReleaseAction::Delete);

        // What was found here and not made here is left as it was found.
        let borrowed = adopted(&owner("1"), Some(&desired)).object.unwrap();
        let released = release(&owner("1"), &borrowed).unwrap();
        prop_assert_eq!(released.action, ReleaseAction::RemoveOwner);
        prop_assert_eq!(patch(borrowed, &released.patch, Mode::Strict, &mut Vec::new()).ok(), Some(desired.clone()));
        Ok(())
    });
}

/// Layers of settings over a few paths that meet.
fn layers() -> impl Strategy<Value = Vec<Vec<(String, Value, bool)>>> {
    let path = prop_oneof![Just("a"), Just("a.b"), Just("a.c.d"), Just("b"), Just("c[0]"), Just("c[1].x"), Just("d")];
    let setting = (path.prop_map(String::from), any_value(), any::<bool>());
    let distinct = |settings: Vec<(String, Value, bool)>| {
        let mut seen = std::collections::BTreeSet::new();
        settings.into_iter().filter(|(path, _, _)| seen.insert(path.clone())).collect::<Vec<_>>()
    };
    prop::collection::vec(prop::collection::vec(setting, 0..5).prop_map(distinct), 0..5)
}

fn fold_all(layers: &[Vec<(String, Value, bool)>]) -> Folded {
    let setting = |(path, value, deep): &(String, Value, bool)| Setting {
        path: path.as_str().into(),
        place: OptionPath::parse(path).unwrap(),
        source: Source::Value(value.clone()),
        deep: *deep,
        at: Pointer::root(),
    };
    let layers: Vec<Layer> = layers
        .iter()
        .enumerate()
        .map(|(rank, set)| Layer {
            document: None,
            name: format!("layer {rank}").into(),
            when: None,
            set: set.iter().map(setting).collect(),
        })
        .collect();
    fold(&layers, None, Mode::Strict, &mut Vec::new()).unwrap()
}

fn as_layer(folded: &Folded) -> Vec<(String, Value, bool)> {
    let value = |source: &Source| match source {
        Source::Value(value) | Source::Reference(value) => value.clone(),
    };
    folded.options.iter().map(|it| (it.path.to_string(), value(&it.source), false)).collect()
}

#[test]
fn folding_twice_changes_nothing() {
    hold("fold twice", 2_000, layers(), |layers| {
        let once = fold_all(&layers);
        let twice = fold_all(&[as_layer(&once), as_layer(&once)]);
        prop_assert_eq!(as_layer(&once), as_layer(&twice));
        prop_assert_eq!(once.values, twice.values);
        Ok(())
    });
}

#[test]
fn the_order_inside_a_layer_means_nothing() {
    let shuffled = layers().prop_flat_map(|layers| {
        let each = layers.iter().cloned().map(|layer| Just(layer).prop_shuffle()).collect::<Vec<_>>();
        (Just(layers), each)
    });
    hold("order", 2_000, shuffled, |(layers, shuffled)| {
        let (one, other) = (fold_all(&layers), fold_all(&shuffled));
        prop_assert_eq!(as_layer(&one), as_layer(&other));
        prop_assert_eq!(one.values, other.values);
        prop_assert_eq!(one.origins, other.origins);
        Ok(())
    });
}

#[test]
fn removing_a_layer_is_never_having_had_it() {
    hold("removal of a layer", 2_000, (layers(), any::<prop::sample::Index>()), |(mut layers, at)| {
        prop_assume!(!layers.is_empty());
        let at = at.index(layers.len());
        let mut emptied = layers.clone();
        emptied[at].clear();
        layers.remove(at);
        let (without, emptied) = (fold_all(&layers), fold_all(&emptied));
        prop_assert_eq!(as_layer(&without), as_layer(&emptied));
        prop_assert_eq!(without.values, emptied.values);
        Ok(())
    });
}

#[test]
fn the_winner_of_every_chain_is_the_effective_value() {
    hold("origins", 2_000, layers(), |layers| {
        let folded = fold_all(&layers);
        for option in &folded.options {
            let chain = folded.origins.get(&option.path).expect("every option has an origin");
            prop_assert_eq!(&chain[0].layer, &option.from);
            if !chain[0].deep {
                prop_assert_eq!(chain[0].source.as_ref(), Some(&option.source));
            }
        }
        Ok(())
    });
}
