//! Choices: enums whose variants are words of documents, requests and answers.

/// Declares an enum with the word of each variant. One that has a default derives `Default` and marks it.
///
/// ```
/// fleetfold_value::choice! {
///     /// How far it is.
///     #[derive(Default)]
///     pub enum Progress {
///         #[default]
///         Waiting = "waiting",
///         Done = "done",
///     }
/// }
///
/// assert_eq!(Progress::default().as_str(), "waiting");
/// assert_eq!(Progress::TEXTS, ["waiting", "done"]);
/// ```
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name { $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            pub const TEXTS: &[&str] = &[$($word),*];

            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl $crate::diagnostic::decode::Decode for $name {
            fn decode(
                value: $crate::value::Value,
                at: &$crate::value::JsonPath,
            ) -> Result<Self, $crate::diagnostic::Error> {
                match value.as_text() {
                    $(Some($word) => Ok($name::$variant),)*
                    Some(other) => Err($crate::diagnostic::decode::unknown_text(other, $name::TEXTS, at)),
                    None => Err(at.wrong_type("a string", &value)),
                }
            }
        }
    };
}
