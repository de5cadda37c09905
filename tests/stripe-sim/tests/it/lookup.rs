//! Lists and searches.

use crate::setup::{HOUR, INTENTS, NOW, charge, create, get, ids, post, sim};
use stripe_sim::{Fault, Sim};

const SEARCH: &str = "/v1/payment_intents/search";

fn create_at(sim: &mut Sim, now_ms: i64, operation_id: &str, customer: &str) {
    let body = charge(operation_id, "pm_card_visa").replace("cus_1", customer);
    sim.handle(now_ms, &post(INTENTS, &body, operation_id), Fault::None);
}

#[test]
fn a_list_is_newest_first_and_pages() {
    let mut sim = sim();
    for number in 0..5 {
        create_at(&mut sim, NOW + number * 1000, &format!("p{number}/charge/1"), "cus_1");
    }
    let first = get(&mut sim, NOW + HOUR, INTENTS, "limit=2");
    assert_eq!(ids(&first), ["pi_000005", "pi_000004"]);
    assert_eq!((&first["has_more"], &first["object"]), (&true.into(), &"list".into()));
    let last = get(&mut sim, NOW + HOUR, INTENTS, "limit=3&starting_after=pi_000004");
    assert_eq!(ids(&last), ["pi_000003", "pi_000002", "pi_000001"]);
    assert_eq!(last["has_more"], false);
    let back = get(&mut sim, NOW + HOUR, INTENTS, "limit=2&ending_before=pi_000001");
    assert_eq!((ids(&back), &back["has_more"]), (vec!["pi_000003", "pi_000002"], &true.into()));
}

#[test]
fn a_list_filters_by_customer_and_time_in_seconds() {
    let mut sim = sim();
    create_at(&mut sim, NOW, "p1/charge/1", "cus_1");
    create_at(&mut sim, NOW + 1_999, "p2/charge/1", "cus_2");
    create_at(&mut sim, NOW + 2_000, "p3/charge/1", "cus_1");
    assert_eq!(ids(&get(&mut sim, NOW + HOUR, INTENTS, "customer=cus_1")), ["pi_000003", "pi_000001"]);
    let second = NOW / 1000 + 1;
    for (query, wanted) in [
        (format!("created[gte]={second}"), vec!["pi_000003", "pi_000002"]),
        (format!("created[gt]={second}"), vec!["pi_000003"]),
        (format!("created%5Blte%5D={second}"), vec!["pi_000002", "pi_000001"]),
        (format!("created[lt]={second}"), vec!["pi_000001"]),
        (format!("created={second}"), vec!["pi_000002"]),
        (format!("created[gte]={second}&customer=cus_2"), vec!["pi_000002"]),
    ] {
        assert_eq!(ids(&get(&mut sim, NOW + HOUR, INTENTS, &query)), wanted, "{query}");
    }
}

#[test]
fn a_list_lags_only_where_it_is_told_to() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    assert_eq!(ids(&get(&mut sim, NOW, INTENTS, "")).len(), 1);
    sim.settings.list_lag_ms = 1_000;
    assert!(ids(&get(&mut sim, NOW + 999, INTENTS, "")).is_empty());
    assert_eq!(ids(&get(&mut sim, NOW + 1_000, INTENTS, "")).len(), 1);
}

#[test]
fn a_search_finds_by_metadata_and_status() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    create(&mut sim, "p/charge/2", "pm_card_visa");
    for (query, wanted) in [
        ("metadata['operation_id']:'p/charge/2'", vec!["pi_000002"]),
        ("metadata[\"operation_id\"]:\"p/charge/1\"", vec!["pi_000001"]),
        ("metadata['operation_id']:'p/charge'", vec![]),
        ("status:'succeeded'", vec!["pi_000002"]),
        ("customer:'cus_1' AND status:'requires_payment_method'", vec!["pi_000001"]),
        ("amount>1999 AND currency:'usd' AND metadata['operation_id']:'p/charge/2'", vec!["pi_000002"]),
        ("amount>2000", vec![]),
    ] {
        let encoded: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("query", query).finish();
        let page = get(&mut sim, NOW, SEARCH, &encoded);
        assert_eq!(ids(&page), wanted, "{query}");
        assert_eq!(page["object"], "search_result");
    }
}

#[test]
fn a_search_lags_and_shows_the_indexed_status() {
    let mut sim = sim();
    sim.settings.search_lag_ms = 60_000;
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    sim.customer_pays(NOW + 30_000, "pi_000001").expect("payable");
    let query = "query=metadata['operation_id']:'p/charge/1'";
    assert!(ids(&get(&mut sim, NOW + 59_999, SEARCH, query)).is_empty());
    let stale = get(&mut sim, NOW + 60_000, SEARCH, query);
    assert_eq!(stale["data"][0]["status"], "requires_payment_method");
    assert_eq!(get(&mut sim, NOW + 60_000, &format!("{INTENTS}/pi_000001"), "")["status"], "succeeded");
    let fresh = get(&mut sim, NOW + 90_000, SEARCH, query);
    assert_eq!(fresh["data"][0]["status"], "succeeded");
}

#[test]
fn a_search_pages_by_its_token() {
    let mut sim = sim();
    for number in 0..3 {
        create(&mut sim, &format!("p{number}/charge/1"), "pm_card_visa");
    }
    let first = get(&mut sim, NOW, SEARCH, "query=status:'succeeded'&limit=2");
    assert_eq!((ids(&first), &first["has_more"]), (vec!["pi_000003", "pi_000002"], &true.into()));
    let token = first["next_page"].as_str().expect("a token");
    let second = get(&mut sim, NOW, SEARCH, &format!("query=status:'succeeded'&limit=2&page={token}"));
    assert_eq!((ids(&second), &second["next_page"]), (vec!["pi_000001"], &().into()));
}
