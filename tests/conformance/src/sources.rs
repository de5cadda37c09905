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

pub(crate) const TRANSACT: &str = "DynamoDB API Reference, TransactWriteItems: docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html";
pub(crate) const TRANSACT_TOKEN: &str = "DynamoDB API Reference, TransactWriteItems, ClientRequestToken: docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html";
pub(crate) const TTL: &str = "DynamoDB Developer Guide, Time to Live, working with expired items: docs.aws.amazon.com/amazondynamodb/latest/developerguide/ttl-expired-items.html";

pub(crate) const DEDUPLICATION: &str = "SQS Developer Guide, FIFO queue key terms, Message deduplication ID: docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html";
pub(crate) const DEDUPLICATION_SCOPE: &str = "SQS API Reference, CreateQueue, DeduplicationScope: docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html";
pub(crate) const GROUPS: &str = "SQS Developer Guide, FIFO queue delivery logic: docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html";
pub(crate) const VISIBILITY: &str = "SQS Developer Guide, Visibility timeout: docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html";
pub(crate) const EXPIRED: &str = "AWS Knowledge Center, ReceiptHandleIsInvalid and InvalidParameterValue: repost.aws/knowledge-center/sqs-receipt-handle-error; github.com/aws/aws-sdk-js/issues/1279";
pub(crate) const RECEIVE: &str = "SQS API Reference, ReceiveMessage: docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html";
pub(crate) const REDRIVE: &str = "SQS Developer Guide, Dead-letter queues: docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html";
pub(crate) const SEND: &str = "SQS API Reference, SendMessage: docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html";
pub(crate) const ATTRIBUTES: &str = "SQS API Reference, GetQueueAttributes, ApproximateNumberOfMessages: docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html";

pub(crate) const PUT_EVENTS: &str = "EventBridge User Guide, Sending events with PutEvents: docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html";
pub(crate) const ENTRY: &str = "EventBridge API Reference, PutEventsRequestEntry, Detail: docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html";
pub(crate) const RESULT_ENTRY: &str = "EventBridge API Reference, PutEventsResultEntry: docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html";
pub(crate) const BUS_DELIVERY: &str = "EventBridge User Guide, Event delivery: at least once: docs.aws.amazon.com/eventbridge/latest/userguide/eb-delivery-level.html";

pub(crate) const IDEMPOTENCY: &str =
    "Stripe API Reference, Idempotent requests: docs.stripe.com/api/idempotent_requests";
pub(crate) const LOW_LEVEL: &str = "Stripe, Advanced error handling: docs.stripe.com/error-low-level";
pub(crate) const ERRORS: &str = "Stripe API Reference, Errors: docs.stripe.com/api/errors";
pub(crate) const RATE_LIMITS: &str = "Stripe, Rate limits: docs.stripe.com/rate-limits";
pub(crate) const LIFECYCLE: &str =
    "Stripe, How PaymentIntents work: docs.stripe.com/payments/paymentintents/lifecycle";
pub(crate) const INTENTS: &str = "Stripe API Reference, PaymentIntents: docs.stripe.com/api/payment_intents";
pub(crate) const HOLDS: &str =
    "Stripe, Place a hold on a payment method: docs.stripe.com/payments/place-a-hold-on-a-payment-method";
pub(crate) const CAPTURES: &str =
    "Stripe API Reference, Capture a PaymentIntent: docs.stripe.com/api/payment_intents/capture";
pub(crate) const REFUNDS: &str = "Stripe API Reference, Refunds: docs.stripe.com/api/refunds/create";
pub(crate) const REFUND_STATUS: &str =
    "Stripe API Reference, The Refund object, status: docs.stripe.com/api/refunds/object";
pub(crate) const SEARCH: &str = "Stripe, Search, Data freshness: docs.stripe.com/search#data-freshness";
pub(crate) const LIST: &str =
    "Stripe API Reference, List all PaymentIntents, Pagination: docs.stripe.com/api/payment_intents/list";
