//! The AWS SDK's configuration, built for a fast cold start: region and credentials come straight from the
//! environment, so that no profile file is read and no metadata service is asked, and every client shares one
//! HTTP client with compiled-in roots.

use std::time::Duration;

use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, TlsContext, rustls_provider::CryptoMode},
};
use aws_smithy_runtime_api::client::{
    behavior_version::BehaviorVersion, http::SharedHttpClient,
    stalled_stream_protection::StalledStreamProtectionConfig,
};
use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use aws_types::{
    SdkConfig,
    region::Region,
    service_config::{LoadServiceConfig, ServiceConfigKey},
};

use crate::{
    settings::{Environment, SettingsError},
    tls,
};

/// How long a connection to an AWS endpoint may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long one attempt may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long one call may take, its retries included, in milliseconds.
pub const CALL_TIMEOUT_MS: u16 = 6_000;

/// How often one call is attempted.
const ATTEMPTS: u32 = 3;

/// After how long an idle connection is dropped: a frozen sandbox wakes up with connections that its peer has closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Builds the configuration of a Lambda function from the variables that Lambda sets.
///
/// # Errors
/// Returns [`SettingsError`] if the region or the credentials are not in the environment.
pub fn for_lambda(env: &Environment) -> Result<SdkConfig, SettingsError> {
    let region = env.require("AWS_REGION")?;
    build(env, region)
}

/// Builds the configuration of a tool that a person runs: the region may also come from `AWS_DEFAULT_REGION`.
///
/// # Errors
/// Returns [`SettingsError`] if the region or the credentials are not in the environment.
pub fn for_cli(env: &Environment) -> Result<SdkConfig, SettingsError> {
    let region = env.get("AWS_REGION").or_else(|| env.get("AWS_DEFAULT_REGION"));
    build(env, region.ok_or(SettingsError::Missing("AWS_REGION"))?.to_owned())
}

fn build(env: &Environment, region: String) -> Result<SdkConfig, SettingsError> {
    let credentials = Credentials::new(
        env.require("AWS_ACCESS_KEY_ID")?,
        env.require("AWS_SECRET_ACCESS_KEY")?,
        env.get("AWS_SESSION_TOKEN").map(str::to_owned),
        None,
        "environment",
    );
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(Duration::from_millis(CALL_TIMEOUT_MS.into()))
        .build();
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .http_client(http_client())
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS))
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .service_config(Endpoints::read(env));
    Ok(config.build())
}

fn http_client() -> SharedHttpClient {
    let context = TlsContext::builder()
        .with_trust_store(tls::trust_store())
        .build()
        .expect("a trust store alone is a valid context");
    Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .tls_context(context)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .build_https()
}

/// The endpoints named in the environment: `AWS_ENDPOINT_URL_<SERVICE>`, or else `AWS_ENDPOINT_URL`.
#[derive(Debug)]
struct Endpoints(Vec<(String, String)>);

impl Endpoints {
    fn read(env: &Environment) -> Self {
        let services = ["", "DYNAMODB", "SQS", "EVENTBRIDGE", "SECRETS_MANAGER"];
        let named = services.iter().filter_map(|service| {
            let separator = if service.is_empty() { "" } else { "_" };
            let url = env.get(&format!("AWS_ENDPOINT_URL{separator}{service}"))?;
            Some(((*service).to_owned(), url.to_owned()))
        });
        Self(named.collect())
    }

    fn of(&self, service: &str) -> Option<String> {
        self.0.iter().find(|(name, _)| name == service).map(|(_, url)| url.clone())
    }
}

impl LoadServiceConfig for Endpoints {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        if key.env() != "AWS_ENDPOINT_URL" {
            return None;
        }
        let service = key.service_id().to_uppercase().replace(' ', "_");
        self.of(&service).or_else(|| self.of(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(more: (&str, &str)) -> Environment {
        Environment::from([
            ("AWS_REGION", "eu-west-1"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:4566"),
            more,
        ])
    }

    fn endpoint(env: &Environment, service_id: &str) -> Option<String> {
        let key = ServiceConfigKey::builder()
            .service_id(service_id)
            .env("AWS_ENDPOINT_URL")
            .profile("endpoint_url");
        Endpoints::read(env).load_config(key.build().unwrap())
    }

    #[test]
    fn one_endpoint_serves_all_unless_a_service_has_its_own() {
        let env = environment(("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:8000"));
        assert_eq!(endpoint(&env, "DynamoDB").as_deref(), Some("http://127.0.0.1:8000"));
        assert_eq!(endpoint(&env, "SQS").as_deref(), Some("http://127.0.0.1:4566"));
        let env = environment(("AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:8001"));
        assert_eq!(endpoint(&env, "Secrets Manager").as_deref(), Some("http://127.0.0.1:8001"));
        assert_eq!(endpoint(&Environment::default(), "SQS"), None);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = for_lambda(&environment(("AWS_REGION", ""))).unwrap_err();
        assert_eq!(error, SettingsError::Missing("AWS_REGION"));
        let error = for_cli(&environment(("AWS_SECRET_ACCESS_KEY", ""))).unwrap_err();
        assert_eq!(error, SettingsError::Missing("AWS_SECRET_ACCESS_KEY"));
    }

    #[test]
    fn a_person_may_name_the_region_as_the_default() {
        let env = Environment::from([
            ("AWS_DEFAULT_REGION", "eu-west-1"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
        ]);
        assert_eq!(for_cli(&env).unwrap().region().map(Region::as_ref), Some("eu-west-1"));
        assert!(for_lambda(&env).is_err());
    }

    #[test]
    fn the_configuration_never_prints_the_secret() {
        let config = for_lambda(&environment(("AWS_SECRET_ACCESS_KEY", "very-secret"))).unwrap();
        assert!(!format!("{config:?}").contains("very-secret"));
    }
}
