//! Every type that people write as a text reads back what it prints.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use fleetfold_core::engine::select::{LabelSelector, Selector};
use fleetfold_core::object::Reference;
use fleetfold_core::object::Timestamp;
use fleetfold_core::value::path::{OptionPath, Pointer, RetentionPath};

/// Reads `text`, prints it as `printed`, and reads that to the same value.
#[track_caller]
fn prints<T>(text: &str, printed: &str)
where
    T: FromStr<Err: Debug> + Display + PartialEq + Debug,
{
    let value: T = text.parse().expect("the text can be read");
    assert_eq!(value.to_string(), printed);
    assert_eq!(printed.parse::<T>().expect("the printed text can be read"), value);
}

#[track_caller]
fn round_trips<T>(text: &str)
where
    T: FromStr<Err: Debug> + Display + PartialEq + Debug,
{
    prints::<T>(text, text);
}

#[test]
fn pointers() {
    for text in ["", "/", "/spec/ports/0/nodePort", "/metadata/annotations/example.com~1team", "/a~0b//c"] {
        round_trips::<Pointer>(text);
    }
    assert_eq!("spec".parse::<Pointer>().unwrap_err().offset, 0);
}

#[test]
fn option_paths() {
    for text in ["replicas", "image.tag", "hosts[0].name", r"annotations.example\.com/team"] {
        round_trips::<OptionPath>(text);
    }
    assert_eq!("image..tag".parse::<OptionPath>().unwrap_err().offset, 6);
}

#[test]
fn retention_paths() {
    for text in ["spec.replicas", "spec.ports[].nodePort", r#"metadata.annotations["example.com/team"]"#] {
        round_trips::<RetentionPath>(text);
    }
    let error = "spec.ports[0]".parse::<RetentionPath>().unwrap_err();
    assert!(error.to_string().contains(&error.message), "{error}");
}

#[test]
fn references() {
    for text in ["Namespace/acme", "Deployment/acme/web", "Cluster.greenhouse.sap/acme/eu-1"] {
        round_trips::<Reference>(text);
    }
    for text in ["", "web", "/web", "Deployment//web", "a/b/c/d"] {
        assert!(text.parse::<Reference>().is_err(), "{text}");
    }
}

#[test]
fn timestamps_print_in_utc() {
    round_trips::<Timestamp>("2026-01-31T09:30:00Z");
    let berlin: Timestamp = "2026-01-31T10:30:00.5+01:00".parse().expect("RFC 3339");
    assert_eq!(berlin.to_string(), "2026-01-31T09:30:00Z");
    assert_eq!("2026-13-01T00:00:00Z".parse::<Timestamp>().unwrap_err().to_string(), "there is no such day");
}

#[test]
fn label_selectors_print_in_canonical_form() {
    for text in ["", "env=prod", "env!=prod", "env in (prod,stage)", "env notin (prod,stage)", "env", "!env", "age>3"] {
        round_trips::<LabelSelector>(text);
    }
    prints::<LabelSelector>(" env in (stage, prod) , !legacy ", "env in (prod,stage),!legacy");
    prints::<LabelSelector>("env==prod", "env=prod");
    assert!("env in prod".parse::<LabelSelector>().is_err());
}

#[test]
fn a_selector_in_text_form_is_a_label_selector() {
    let selector: Selector = "env=prod,!legacy".parse().expect("kubectl's syntax");
    assert_eq!(selector, Selector::Labels("env=prod,!legacy".parse().expect("kubectl's syntax")));
    assert!("env in prod".parse::<Selector>().is_err());
}
