//! The [`value!`](crate::value!) literal.

/// Builds a [`Value`](crate::Value) from JSON-like syntax with expressions in it.
///
/// ```
/// use ordain_value::value;
/// let name = "web";
/// let object = value!({"metadata": {"name": name}, "ports": [80, 443], "on": true, "x": null});
/// assert_eq!(object.get("metadata").and_then(|it| it.get("name")).and_then(|it| it.as_str()), Some("web"));
/// ```
///
/// An entry `"key"?: what` is left out when it is empty: an empty text, list or map, `false`, and
/// `None`.
///
/// ```
/// use ordain_value::value;
/// assert_eq!(value!({"a"?: "", "b"?: "x", "c"?: (None::<i64>)}), value!({"b": "x"}));
/// ```
#[macro_export]
macro_rules! value {
    (null) => { $crate::Value::Null };
    ([ $($items:tt)* ]) => {{
        #[allow(unused_mut, clippy::vec_init_then_push, reason = "an empty literal pushes nothing")]
        let mut items: ::std::vec::Vec<$crate::Value> = ::std::vec::Vec::new();
        $crate::value_items!(items; $($items)*);
        $crate::Value::from(items)
    }};
    ({ $($entries:tt)* }) => {{
        #[allow(unused_mut, clippy::vec_init_then_push, reason = "an empty literal pushes nothing")]
        let mut entries: ::std::vec::Vec<($crate::Text, $crate::Value)> = ::std::vec::Vec::new();
        $crate::value_entries!(entries; $($entries)*);
        $crate::Value::Map($crate::Map::from_entries(entries))
    }};
    ($other:expr) => { $crate::Value::from($other) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! value_items {
    ($out:ident;) => {};
    ($out:ident; null $(, $($rest:tt)*)?) => {
        $out.push($crate::Value::Null); $($crate::value_items!($out; $($rest)*);)?
    };
    ($out:ident; [ $($in:tt)* ] $(, $($rest:tt)*)?) => {
        $out.push($crate::value!([ $($in)* ])); $($crate::value_items!($out; $($rest)*);)?
    };
    ($out:ident; { $($in:tt)* } $(, $($rest:tt)*)?) => {
        $out.push($crate::value!({ $($in)* })); $($crate::value_items!($out; $($rest)*);)?
    };
    ($out:ident; $it:expr $(, $($rest:tt)*)?) => {
        $out.push($crate::Value::from($it)); $($crate::value_items!($out; $($rest)*);)?
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! value_entries {
    ($out:ident;) => {};
    ($out:ident; $key:tt ? : $it:expr $(, $($rest:tt)*)?) => {
        $out.extend(
            $crate::OmitEmpty::unless_empty($it).map(|it| ($crate::Text::from($key), it)),
        );
        $($crate::value_entries!($out; $($rest)*);)?
    };
    ($out:ident; $key:tt : null $(, $($rest:tt)*)?) => {
        $out.push(($crate::Text::from($key), $crate::Value::Null));
        $($crate::value_entries!($out; $($rest)*);)?
    };
    ($out:ident; $key:tt : [ $($in:tt)* ] $(, $($rest:tt)*)?) => {
        $out.push(($crate::Text::from($key), $crate::value!([ $($in)* ])));
        $($crate::value_entries!($out; $($rest)*);)?
    };
    ($out:ident; $key:tt : { $($in:tt)* } $(, $($rest:tt)*)?) => {
        $out.push(($crate::Text::from($key), $crate::value!({ $($in)* })));
        $($crate::value_entries!($out; $($rest)*);)?
    };
    ($out:ident; $key:tt : $it:expr $(, $($rest:tt)*)?) => {
        $out.push(($crate::Text::from($key), $crate::Value::from($it)));
        $($crate::value_entries!($out; $($rest)*);)?
    };
}
