//! Holds a fleet and selects from it, inside WebAssembly.
#![expect(unsafe_code, reason = "exported names; there is no unsafe block")]

use std::cell::RefCell;

use fleetfold_core::Value;
use fleetfold_core::engine::select::fleet::Fleet;
use fleetfold_core::engine::select::{Cluster, LabelSelector};
use fleetfold_core::object::Labels;
use fleetfold_core::value::JsonPath;
use fleetfold_core::value::json;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FLEET: RefCell<(Fleet, LabelSelector)> = RefCell::default();
}

/// Room for `len` bytes of `{"clusters":[…],"selector":{…}}`.
#[unsafe(no_mangle)]
pub extern "C" fn room(len: u32) -> u32 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; len as usize];
        input.as_ptr() as usize as u32
    })
}

/// Reads the input and builds the index; answers how many clusters there are.
#[unsafe(no_mangle)]
pub extern "C" fn build() -> u32 {
    let text = INPUT.with_borrow_mut(|input| String::from_utf8(std::mem::take(input)).unwrap_or_default());
    let input = json::parse(&text).unwrap_or_default();
    let mut fleet = Fleet::default();
    for cluster in input.get("clusters").and_then(Value::as_list).into_iter().flatten() {
        let labels = cluster.get("labels").and_then(Value::as_map);
        let labels = labels.and_then(|labels| Labels::read(labels, &JsonPath::ROOT).ok()).unwrap_or_default();
        fleet.insert(Cluster { name: cluster.text_at(&["name"]).into(), labels, ..Cluster::default() });
    }
    let selector =
        LabelSelector::parse_object(input.get("selector").unwrap_or(&Value::Null), &JsonPath::ROOT).unwrap_or_default();
    let count = fleet.len() as u32;
    FLEET.with_borrow_mut(|held| *held = (fleet, selector));
    count
}

/// Selects `times` times, to a list of numbers each; answers how many were picked.
#[unsafe(no_mangle)]
pub extern "C" fn select(times: u32) -> u32 {
    FLEET.with_borrow(|(fleet, selector)| {
        let picked =
            (0..times).map(|_| std::hint::black_box(fleet.select(selector).iter().collect::<Vec<u32>>()).len());
        picked.fold(0, |_, count| count) as u32
    })
}
