//! Where the real services' behaviour is written: title and place.

pub(crate) const CONDITIONS: &str = "DynamoDB API Reference, PutItem, ConditionExpression: docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutItem.html";
pub(crate) const ALL_OLD: &str = "DynamoDB API Reference, PutItem, ReturnValuesOnConditionCheckFailure: docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutItem.html";
pub(crate) const CONSISTENCY: &str = "DynamoDB Developer Guide, Read consistency: docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html";
pub(crate) const TYPES: &str = "DynamoDB Developer Guide, Supported data types: docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html";
pub(crate) const LIMITS: &str = "DynamoDB Developer Guide, Constraints, Item size: docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html";
pub(crate) const RETRIES: &str = "AWS SDKs Reference Guide, Retry behavior: docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; DynamoDB Developer Guide, Error handling";
pub(crate) const UPDATE: &str = "DynamoDB API Reference, UpdateItem: docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html";
pub(crate) const QUERY: &str =
    "DynamoDB API Reference, Query: docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html";
pub(crate) const SPARSE: &str = "DynamoDB Developer Guide, Take advantage of sparse indexes: docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-indexes-general-sparse-indexes.html";
pub(crate) const INDEX: &str = "DynamoDB Developer Guide, Global secondary indexes, synchronization: docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html";
pub(crate) const TRANSACTIONS: &str = "DynamoDB Developer Guide, Transaction conflict handling: docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html";
