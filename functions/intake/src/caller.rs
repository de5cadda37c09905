//! Whose request it is: the tenant, from what the authorizer has verified and never from what the caller sent.

use payment::Tenant;
use serde_json::Value;

/// Where an authorizer may name the tenant, the first found counting: a Lambda authorizer's context (HTTP API, REST
/// API), or a token's claim (HTTP API, REST API).
const NAMED: [&str; 4] = [
    "/authorizer/lambda/tenant",
    "/authorizer/tenant",
    "/authorizer/jwt/claims/tenant",
    "/authorizer/claims/tenant",
];

/// Where the ARN of the IAM principal is (HTTP API and function URL, REST API).
const PRINCIPAL: [&str; 2] = ["/authorizer/iam/userArn", "/identity/userArn"];

/// Returns the tenant of a request, given its `requestContext`.
///
/// What an authorizer names counts even if it is no name for a tenant: then there is none.
pub(crate) fn tenant(context: &Value) -> Option<Tenant> {
    let present = |path: &&str| context.pointer(path).filter(|value| !value.is_null());
    if let Some(named) = NAMED.iter().find_map(present) {
        return named.as_str()?.parse().ok();
    }
    let arn = PRINCIPAL.iter().find_map(present)?.as_str()?;
    principal(arn)?.parse().ok()
}

/// Returns the name of an IAM user or of an assumed role; none of a root or federated user.
fn principal(arn: &str) -> Option<&str> {
    let mut parts = arn.splitn(6, ':');
    let (Some("arn"), Some(_partition), Some(service), Some(_region), Some(_account), Some(resource)) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    match service {
        "iam" => resource.strip_prefix("user/")?.rsplit('/').next(),
        "sts" => resource.strip_prefix("assumed-role/")?.split('/').next(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(context: &Value) -> Option<String> {
        tenant(context).map(String::from)
    }

    #[test]
    fn a_user_or_an_assumed_role_is_a_tenant_by_its_name() {
        let of = |arn: &str| named(&json!({ "authorizer": { "iam": { "userArn": arn } } }));
        assert_eq!(of("arn:aws:iam::123456789012:user/shop").as_deref(), Some("shop"));
        assert_eq!(of("arn:aws:iam::123456789012:user/teams/eu/shop").as_deref(), Some("shop"));
        assert_eq!(
            of("arn:aws-cn:sts::123456789012:assumed-role/shop-api/i-0abc").as_deref(),
            Some("shop-api")
        );
        for nobody in [
            "arn:aws:iam::123456789012:root",
            "arn:aws:sts::123456789012:federated-user/shop",
            "arn:aws:iam::123456789012:role/shop",
            "arn:aws:iam::123456789012:user/",
            "shop",
            "",
        ] {
            assert_eq!(of(nobody), None, "{nobody}");
        }
        let rest = json!({ "identity": { "userArn": "arn:aws:iam::123456789012:user/shop" } });
        assert_eq!(named(&rest).as_deref(), Some("shop"));
    }

    #[test]
    fn an_authorizer_that_names_a_tenant_comes_first_even_if_it_names_nonsense() {
        let iam = json!({ "userArn": "arn:aws:iam::123456789012:user/somebody" });
        let of = |authorizer: Value| named(&json!({ "authorizer": authorizer, "identity": iam }));
        assert_eq!(of(json!({ "lambda": { "tenant": "shop" }, "iam": iam })).as_deref(), Some("shop"));
        assert_eq!(of(json!({ "tenant": "shop", "principalId": "x" })).as_deref(), Some("shop"));
        assert_eq!(of(json!({ "jwt": { "claims": { "tenant": "shop" } } })).as_deref(), Some("shop"));
        assert_eq!(of(json!({ "claims": { "tenant": "shop" } })).as_deref(), Some("shop"));
        assert_eq!(of(json!({ "lambda": { "tenant": "not a tenant!" }, "iam": iam })), None);
        assert_eq!(of(json!({ "lambda": { "tenant": 5 }, "iam": iam })), None);
        assert_eq!(of(json!({ "lambda": { "tenant": null }, "iam": iam })).as_deref(), Some("somebody"));
    }

    #[test]
    fn nobody_is_no_tenant() {
        for context in [json!(null), json!({}), json!({ "authorizer": null }), json!({ "identity": {} })] {
            assert_eq!(named(&context), None);
        }
    }
}
