//! Conversion by someone who has to be waited for: a webhook that a definition names.
//!
//! The spines are synchronous, so they cannot ask. Objects before and after a spine are converted
//! by its caller. What the record of field owners needs in the middle of one goes through
//! [`Conversions`]: a question without an answer is noted down and fails for now; the caller has
//! the open questions answered and runs the same pure step again, until none is open.
//!
//! INVARIANT: a step that left open questions behind has no result. Its caller drops what came out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_merge::{Convert, FieldManager};
use ordain_meta::GroupVersion;
use ordain_schema::crd::{Conversion, WebhookClient};
use ordain_value::{Text, Value};

/// The webhook that converts the objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionWebhook {
    /// The name of the definition.
    pub definition: Text,
    /// How the webhook is called.
    pub client: WebhookClient,
    /// Versions of reviews that it understands, the best one first.
    pub review_versions: Vec<Text>,
}

impl ConversionWebhook {
    /// The webhook of a definition; none if versions differ in their name only.
    pub(crate) fn of(definition: &str, conversion: Option<&Conversion>) -> Option<Self> {
        let conversion = conversion.filter(|it| it.strategy == "Webhook")?;
        let webhook = conversion.webhook.clone().unwrap_or_default();
        Some(Self {
            definition: definition.into(),
            client: webhook.client.unwrap_or_default(),
            review_versions: webhook.review_versions.unwrap_or_default(),
        })
    }
}

/// An object that is wanted in another version.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The object to convert.
    pub object: Value,
    /// The version that it should have.
    pub wanted: GroupVersion,
}

/// The conversions of one write: those that are answered, and those that are open.
#[derive(Debug, Default)]
pub struct Conversions {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: Vec<(Question, Result<Value, String>)>,
    open: Vec<Question>,
}

impl Conversions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions that came up since the last call.
    pub fn take_open(&self) -> Vec<Question> {
        std::mem::take(&mut self.state().open)
    }

    /// Takes down an answer.
    pub fn answer(&self, question: Question, answer: Result<Value, String>) {
        self.state().answers.push((question, answer));
    }

    fn convert(&self, object: &Value, wanted: &str) -> Result<Value, String> {
        if api_version(object) == wanted {
            return Ok(object.clone());
        }
        if is_empty(object) {
            let mut object = object.clone();
            object.set_path(&["apiVersion"], wanted.into());
            return Ok(object);
        }
        let wanted = GroupVersion::decode(wanted).map_err(|error| error.to_string())?;
        let mut state = self.state();
        let is_asked = |it: &Question| it.wanted == wanted && it.object == *object;
        if let Some((_, answer)) = state.answers.iter().find(|(it, _)| is_asked(it)) {
            return answer.clone();
        }
        if !state.open.iter().any(is_asked) {
            state.open.push(Question { object: object.clone(), wanted });
        }
        Err("the conversion is not answered yet".to_owned())
    }
}

/// A manager that converts by these answers. Like Kubernetes it goes through the version of the
/// request, `hub`.
pub(crate) fn converting(
    manager: &FieldManager,
    conversions: &Arc<Conversions>,
    hub: &str,
) -> FieldManager {
    let (conversions, hub) = (Arc::clone(conversions), Text::from(hub));
    let convert: Arc<Convert> = Arc::new(move |object, wanted| {
        if api_version(object) == hub || wanted == hub {
            return conversions.convert(object, wanted);
        }
        conversions.convert(&conversions.convert(object, &hub)?, wanted)
    });
    manager.clone().with_conversion(convert)
}

fn api_version(object: &Value) -> &str {
    object.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
}

/// An object with nothing but its type has nothing to convert.
fn is_empty(object: &Value) -> bool {
    let typed = |it: &&Text| matches!(it.as_str(), "apiVersion" | "kind");
    object.as_map().is_some_and(|map| map.len() == 2 && map.keys().filter(typed).count() == 2)
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    #[test]
    fn a_question_is_asked_once_and_then_answered() {
        let conversions = Conversions::default();
        let object = value!({"apiVersion": "a.test/v1", "kind": "A", "spec": {"x": 1}});
        assert!(conversions.convert(&object, "a.test/v2").is_err());
        assert!(conversions.convert(&object, "a.test/v2").is_err());
        let open = conversions.take_open();
        assert_eq!(open.len(), 1);
        let converted = value!({"apiVersion": "a.test/v2", "kind": "A", "spec": {"y": 1}});
        for question in open {
            conversions.answer(question, Ok(converted.clone()));
        }
        assert_eq!(conversions.convert(&object, "a.test/v2"), Ok(converted));
        assert_eq!(conversions.take_open(), []);
    }

    #[test]
    fn nobody_is_asked_about_an_object_without_content() {
        let conversions = Conversions::default();
        let object = value!({"apiVersion": "a.test/v1", "kind": "A"});
        let wanted = value!({"apiVersion": "a.test/v2", "kind": "A"});
        assert_eq!(conversions.convert(&object, "a.test/v2"), Ok(wanted));
        assert_eq!(conversions.convert(&object, "a.test/v1"), Ok(object));
        assert_eq!(conversions.take_open(), []);
    }
}
