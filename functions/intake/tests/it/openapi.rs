//! The OpenAPI document says what the handlers do: every route, and of every reply its status, type and headers.

use std::{collections::BTreeSet, sync::LazyLock};

use intake::{MAX_WAIT_S, ProblemKind, ROUTES};
use serde_json::Value;

use crate::bench::Reply;

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../../infra/openapi.json")).unwrap());

/// Follows a `$ref` within the document, if there is one.
fn resolved(value: &'static Value) -> &'static Value {
    let pointer = value["$ref"].as_str().and_then(|text| text.strip_prefix('#'));
    pointer.map_or(value, |pointer| DOCUMENT.pointer(pointer).unwrap())
}

/// The document's operation for a method and path; none if it has no such route.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let is_match = |template: &str| {
        let (template, path): (Vec<&str>, Vec<&str>) =
            (template.split('/').collect(), path.split('/').collect());
        template.len() == path.len()
            && template.iter().zip(&path).all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
    };
    let (_, item) = DOCUMENT["paths"].as_object().unwrap().iter().find(|(template, _)| is_match(template))?;
    item.get(method.to_lowercase())
}

/// Asserts that a reply is one that the document has for its request. Values that a field must not hold are checked by
/// the tests that send them; whole bodies are validated by schemathesis against the deployed stack.
pub(crate) fn assert_documented(event: &Value, reply: &Reply) {
    let method = event["requestContext"]["http"]["method"].as_str().or_else(|| event["httpMethod"].as_str());
    let path = event["rawPath"].as_str().or_else(|| event["path"].as_str()).unwrap_or("/");
    let stage = event["requestContext"]["stage"].as_str().unwrap_or("$default");
    let below = event["rawPath"].as_str().and_then(|path| path.strip_prefix(&format!("/{stage}")));
    let path = below.unwrap_or(path);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert!(reply.headers.keys().all(|name| !name.starts_with("access-control-")), "no browser is a caller");
    let Some(operation) = operation(method.unwrap(), path) else {
        assert!(matches!(reply.status, 404 | 405), "{path}: {}", reply.status);
        return;
    };
    let response = resolved(&operation["responses"][reply.status.to_string()]);
    assert!(response.is_object(), "{path}: {} is not documented: {}", reply.status, reply.body);
    let content_type = reply.header("content-type").unwrap().split(';').next().unwrap();
    let schema = &resolved(&response["content"][content_type])["schema"];
    assert!(schema.is_object(), "{path}: {} as {content_type} is not documented", reply.status);
    assert_headers(response, reply);
    if content_type.ends_with("json") {
        assert_fields(resolved(schema), &reply.json());
    }
}

fn assert_headers(response: &'static Value, reply: &Reply) {
    let known = response["headers"].as_object().unwrap();
    for name in reply.headers.keys().filter(|name| *name != "content-type") {
        assert!(known.keys().any(|known| known.eq_ignore_ascii_case(name)), "{name} is not documented");
    }
    for (name, header) in known {
        if resolved(header)["required"] == true {
            assert!(reply.header(&name.to_lowercase()).is_some(), "{name} is missing");
        }
    }
}

fn assert_fields(schema: &'static Value, body: &Value) {
    let names = body.as_object().unwrap().keys();
    for name in names.clone() {
        assert!(schema["properties"].get(name).is_some(), "{name} is not documented");
    }
    for name in schema["required"].as_array().unwrap() {
        assert!(body.get(name.as_str().unwrap()).is_some(), "{name} is missing");
    }
}

#[test]
fn every_route_is_documented_and_nothing_else_is() {
    let documented: BTreeSet<(String, String)> = DOCUMENT["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys().filter(|key| *key != "parameters");
            methods.map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect();
    let routes = ROUTES.map(|(method, path)| (method.to_owned(), path.to_owned()));
    assert_eq!(documented, routes.into());
}

#[test]
fn every_problems_status_is_documented_and_every_documented_status_is_somebodys() {
    let documented: BTreeSet<u16> = DOCUMENT["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
        .filter_map(|operation| operation["responses"].as_object())
        .flat_map(|responses| responses.keys().map(|status| status.parse().unwrap()))
        .collect();
    let mut given: BTreeSet<u16> = ProblemKind::ALL.into_iter().map(ProblemKind::status).collect();
    // What the gateway itself answers, and successes. A path's wrong method is no operation of the document.
    given.extend([200, 202, 403, 429]);
    given.remove(&405);
    assert_eq!(documented, given);
}

#[test]
fn the_longest_wait_is_documented() {
    let text = DOCUMENT["components"]["parameters"]["Prefer"]["description"].as_str().unwrap();
    assert!(text.contains(&MAX_WAIT_S.to_string()), "{text}");
}

#[test]
fn the_documented_currencies_are_those_with_rules() {
    for schema in ["NewPayment", "NewCharge"] {
        let listed = &DOCUMENT["components"]["schemas"][schema]["properties"]["currency"]["enum"];
        let known: Vec<&str> = payment::Currency::all_rules().iter().map(|rules| rules.code).collect();
        assert_eq!(*listed, serde_json::json!(known), "{schema}");
    }
}
