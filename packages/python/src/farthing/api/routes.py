# Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.
# ruff: noqa
# fmt: off
from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ._client import UNSET, Client, Consistency, Day, Number, Pages, Time, step

DayText = Annotated[str, "date"]
TimeText = Annotated[str, "date-time"]

Action = Literal["created", "changed", "deleted"]
Actor = Literal["admin_token", "api_key", "member", "stripe", "job", "command", "service"]
Aggregate = Literal["day", "week", "month", "quarter", "year", "all"]
Aggregation = Literal["count", "sum", "unique"]
Alert = Literal["budget", "runaway", "anomaly", "unprofitable_customer", "unpriced_model", "price_change", "coverage_drop", "credit_ending", "no_events"]
AllocateBy = Literal["cost", "calls", "tokens", "output_tokens", "elapsed"]
AssumedRate = Literal["cache_read", "cache_write", "cache_write_1h", "input_audio", "cache_read_audio", "input_image", "cache_read_image", "input_video", "output_audio", "output_image", "output_video"]
AuditKind = Literal["alert", "api_key", "backup", "budget", "client", "client_secret", "close", "copy", "credit_grant", "customer_tags", "erasure", "exchange_rate", "invitation", "invoice_entry", "key_metric", "member", "member_role", "notification_endpoint", "plan_simulation", "price", "price_list", "project", "provider_account", "rebuild", "reprice", "revenue_entry", "shared_cost", "stripe_customer", "stripe_webhook", "timezone_change", "user_tags"]
Bound = Literal["exact", "upper"]
Bucket = Literal["input", "cache_read", "cache_write", "cache_write_1h", "input_audio", "cache_read_audio", "input_image", "cache_read_image", "input_video", "output", "reasoning", "output_audio", "output_image", "output_video"]
CallPartlyPriced = Literal["web_searches", "web_fetches", "x_searches", "file_searches", "attachment_searches", "code_sessions", "grounded_prompts", "grounded_queries", "maps_prompts", "searched_sources", "search_queries", "citation_tokens", "search_units", "classifications", "audio_seconds", "characters", "images", "video_seconds", "videos", "compute_seconds", "guardrail_topic_units", "guardrail_content_units", "guardrail_word_units", "guardrail_sensitive_units", "guardrail_grounding_units", "guardrail_image_units", "guardrail_reasoning_units", "pages", "annotated_pages", "requests", "service_tier", "speed", "geo", "cache_ttl", "size", "quality", "search_context_size", "other_models", "prompt_sizes", "cache_read", "cache_write", "cache_write_1h", "input_audio", "cache_read_audio", "input_image", "cache_read_image", "input_video", "output_audio", "output_image", "output_video"]
CallsOrder = Literal["oldest", "newest", "dearest", "most_tokens", "slowest"]
CauseCause = Literal["calls", "mix", "failures", "tokens_per_call", "cached_share", "prices", "new_customers", "vanished_customers"]
ChargeCategory = Literal["Usage", "Credit"]
ChargeFrequency = Literal["Usage-Based", "Recurring"]
CloseDriftCause = Literal["late_events", "reprice", "timezone", "erasure", "revenue", "credits", "shared_costs"]
CloseDriftGroupBy = Literal["cause", "customer"]
ConsumedUnit = Literal["Tokens", "Days"]
CostSource = Literal["reported", "override", "catalogue", "further_list", "gateway_cache", "wrapper", "none", "unpriced"]
CostsGroupBy = Literal["customer", "feature", "model", "provider"]
Each = Literal["customer", "user", "feature", "run"]
EventsOrder = Literal["newest", "oldest"]
Finding = Literal["disagrees", "missing", "changed"]
FiringsState = Literal["open", "ended"]
GetProjectRebuildsCause = Literal["reading", "price"]
GetProjectRebuildsState = Literal["queued", "running", "done", "failed"]
InvoicesKind = Literal["usage", "discount", "credit", "tax", "other"]
JoinedBy = Literal["answer_id", "span", "likeness"]
Keep = Literal["true", "false"]
Mode = Literal["reconcile", "meter"]
ModelPriceName = Literal["service_tier", "speed", "geo", "cache_ttl", "size", "quality", "search_context_size"]
NextStepsKind = Literal["unprofitable_customer", "unpriced_model", "late_price", "invoice_price", "credit_end", "waste", "model_swap"]
NotificationEndpointAttemptsEvent = Literal["fired", "ended", "digest", "test"]
NotificationEndpointAttemptsState = Literal["waiting", "delivered", "given_up"]
NotificationEndpointsDigest = Literal["weekly", "monthly"]
NotificationEndpointsKind = Literal["webhook", "slack", "email"]
Period = Literal["hour", "day", "week", "month", "quarter"]
PostProviderAccountsBy = Literal["key", "user", "workspace"]
PostSessionType = Literal["revenue", "internal"]
PreviewDimension = Literal["customer", "model", "feature"]
ProviderAccountsKind = Literal["openai", "anthropic", "openrouter"]
ReconciliationGroupBy = Literal["provider", "model"]
ReconciliationKind = Literal["timing", "unpriced", "not_seen", "not_invoiced", "price", "discount", "credit", "tax", "rest"]
RepriceReason = Literal["reported_cost", "no_price"]
RevenueSource = Literal["api", "stripe"]
RiskStatus = Literal["healthy", "at_risk", "unprofitable"]
SimulateUnit = Literal["cost", "calls", "tokens"]
TagsKind = Literal["call", "customer", "user"]
TargetBaseReason = Literal["no_target", "no_customers", "no_cost", "usage_reaches_it", "out_of_range"]
TargetIncludedReason = Literal["no_target", "no_customers", "no_cost", "no_charge", "base_reaches_it", "out_of_reach"]
UnitUnit = Literal["web_searches", "web_fetches", "x_searches", "file_searches", "attachment_searches", "code_sessions", "grounded_prompts", "grounded_queries", "maps_prompts", "searched_sources", "search_queries", "citation_tokens", "search_units", "classifications", "audio_seconds", "characters", "images", "video_seconds", "videos", "compute_seconds", "guardrail_topic_units", "guardrail_content_units", "guardrail_word_units", "guardrail_sensitive_units", "guardrail_grounding_units", "guardrail_image_units", "guardrail_reasoning_units", "pages", "annotated_pages", "requests"]
Version = Literal["1.4", "1.2"]
Waste = Literal["failed", "retried", "aborted", "uncached_input", "dearer_model"]


class Account(TypedDict):
    id: str
    kind: ProviderAccountsKind
    # `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.
    mode: Mode
    # The first day to read, in UTC as all days here.
    since: DayText
    names: List[ProviderAccountsName]
    created_at: TimeText
    # The calls that its usage has become.
    calls: int
    last_success_at: Optional[TimeText]
    # The days that the last success read, what the provider reports for them, and how much of it was new.
    last_read: Optional[LastRead]
    # Why the last read failed; null after a success.
    last_fault: Optional[LastFault]
    # When it is read next.
    next_at: TimeText
    # What the last change of the mode did; `done` once a read has succeeded since.
    switched: Optional[Switched]



class Alerts(TypedDict):
    open: int
    # At most five.
    newest: List[Newest]



class AlertsAnswer(TypedDict):
    alerts: List[Union[BudgetAlert, RunawayAlert, AnomalyAlert, UnprofitableCustomerAlert, UnpricedModelAlert, PriceChangeAlert, CoverageDropAlert, CreditEndingAlert, NoEventsAlert]]



class AnomalyAlert(TypedDict):
    kind: Literal["anomaly"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # USD: a smaller difference from the expected cost is no anomaly.
    least_amount: Decimal



class Attempt(TypedDict):
    id: str
    # The id of the delivery: the same for all its attempts.
    webhook_id: str
    notification: Notification
    # The state of the delivery now.
    state: NotificationEndpointAttemptsState
    at: TimeText
    # The HTTP status, or the reply code of the SMTP server.
    status: Optional[int]
    # Why it failed; null when it was delivered.
    error: Optional[str]
    duration_ms: int
    # Null when it was delivered or given up.
    next_attempt_at: Optional[TimeText]



class AuditAnswer(TypedDict):
    entries: List[AuditEntry]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class AuditEntry(TypedDict):
    id: str
    at: TimeText
    # Who made the change. `service`: the service itself, as at its first start.
    actor: Actor
    # The id of the API key, member or Stripe webhook, or the name of the job.
    actor_id: Optional[str]
    # The name of the API key or member, as it was then.
    actor_name: Optional[str]
    # The address that the request came from.
    address: Optional[str]
    # The method and the path of the route.
    request: Optional[str]
    action: Action
    kind: AuditKind
    # The id or name of what was changed. Empty once it is erased.
    subject: str
    # The e-mail address of the member that it is about, as it was then; null for every other subject, and for callers who are not owners.
    subject_name: Optional[str]
    # What was changed or deleted, as it was; null for what was created, or is erased.
    before: Optional[Dict[str, Any]]
    # The same fields as they are now; null for what was deleted, or is erased.
    after: Optional[Dict[str, Any]]



class Budget(TypedDict):
    name: str
    # USD.
    amount: Decimal
    # The calendar period; null for a window.
    period: Optional[Period]
    # The last minutes, hours or days, such as `6h`; null for a calendar period.
    window: Optional[str]
    # The calls whose cost counts; empty for all.
    scope: BudgetsScope
    # Every value of it has a budget of the amount; null for one budget.
    each: Optional[Each]
    # Percentages of the amount, ascending.
    thresholds: List[int]
    apply_credits: bool
    created_at: TimeText
    updated_at: TimeText



class BudgetAlert(TypedDict):
    kind: Literal["budget"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # Also fires when the forecast for the end of the period is above the amount of the budget.
    forecast: bool



class _BudgetAnswer(TypedDict):
    name: str
    # USD.
    amount: Decimal
    # The calendar period; null for a window.
    period: Optional[Period]
    # The last minutes, hours or days, such as `6h`; null for a calendar period.
    window: Optional[str]
    # The calls whose cost counts; empty for all.
    scope: BudgetsScope
    # Every value of it has a budget of the amount; null for one budget.
    each: Optional[Each]
    # Percentages of the amount, ascending.
    thresholds: List[int]
    apply_credits: bool
    created_at: TimeText
    updated_at: TimeText
    # First day of the current period, or of the window.
    period_from: DayText
    # Last day of the current period, inclusive.
    period_to: DayText
    # When the next period begins. For a used-up window: when enough spending will have left it; null while more may be spent.
    resets_at: Optional[TimeText]
    # USD; the nearest double of the exact sum.
    spent: Decimal
    # USD; negative once more than the amount is spent.
    remaining: Optional[Decimal]
    # Percent of the amount.
    spent_pct: Optional[Decimal]
    # The thresholds that are reached, ascending.
    thresholds_passed: List[int]
    # USD; the expected spending at the end of the period. Null if it is not forecast.
    forecast: Optional[Decimal]


class BudgetAnswer(_BudgetAnswer, total=False):
    # The value of `each` that was asked for.
    of: str
    # The 1000 values of `each` with the most spent, largest first.
    each_spent: List[EachSpent]



class BudgetCheckAnswer(TypedDict):
    # Whether less than the amount is spent.
    allowed: bool
    # USD; the nearest double of the exact sum.
    spent: Decimal
    # USD; negative once more than the amount is spent.
    remaining: Decimal
    # When the next period begins. For a used-up window: when enough spending will have left it; null while more may be spent.
    resets_at: Optional[TimeText]
    # Everything that this instance acknowledged up to this instant is in `spent`.
    as_of: TimeText



class BudgetsAnswer(TypedDict):
    budgets: List[Budget]



class BudgetsScope(TypedDict, total=False):
    customers: List[str]
    users: List[str]
    features: List[str]
    models: List[str]
    providers: List[str]
    customer_tags: Dict[str, List[str]]



class ByCause(TypedDict):
    cause: GetProjectRebuildsCause
    # USD, gross.
    before: Decimal
    # USD, gross.
    after: Decimal



class ByCustomerCause(TypedDict):
    cause: CauseCause
    # USD; the nearest double of the exact amount.
    amount: Decimal
    # The largest amounts first, at most `limit`.
    rows: List[ByCustomerCauseRow]
    # The sum of all others.
    others: CauseOthers



class ByCustomerCauseRow(TypedDict):
    customer: str
    # USD; the nearest double of the exact amount.
    amount: Decimal



class ByCustomerRow(TypedDict):
    customer: str
    # USD; the nearest double of the exact amount.
    cost_before: Decimal
    # USD; the nearest double of the exact amount.
    cost: Decimal
    # USD: `cost` less `cost_before`.
    difference: Decimal
    # The difference by cause; the exact parts add up to it.
    parts: Parts



class ByDay(TypedDict):
    date: str
    # USD, gross.
    before: Decimal
    # USD, gross.
    after: Decimal



class ByFeature(TypedDict):
    # The largest differences first, at most `limit`.
    rows: List[ByFeatureRow]
    # The sum of all others.
    others: ChangesOthers
    # Every cause, the largest amount first.
    causes: List[ByFeatureCause]



class ByFeatureCause(TypedDict):
    cause: CauseCause
    # USD; the nearest double of the exact amount.
    amount: Decimal
    # The largest amounts first, at most `limit`.
    rows: List[ByFeatureCauseRow]
    # The sum of all others.
    others: CauseOthers



class ByFeatureCauseRow(TypedDict):
    feature: str
    # USD; the nearest double of the exact amount.
    amount: Decimal



class ByFeatureRow(TypedDict):
    feature: str
    # USD; the nearest double of the exact amount.
    cost_before: Decimal
    # USD; the nearest double of the exact amount.
    cost: Decimal
    # USD: `cost` less `cost_before`.
    difference: Decimal
    # The difference by cause; the exact parts add up to it.
    parts: Parts



class ByModelCause(TypedDict):
    cause: CauseCause
    # USD; the nearest double of the exact amount.
    amount: Decimal
    # The largest amounts first, at most `limit`.
    rows: List[ByModelCauseRow]
    # The sum of all others.
    others: CauseOthers



class ByModelCauseRow(TypedDict):
    model: str
    # USD; the nearest double of the exact amount.
    amount: Decimal



class ByModelRow(TypedDict):
    model: str
    # USD; the nearest double of the exact amount.
    cost_before: Decimal
    # USD; the nearest double of the exact amount.
    cost: Decimal
    # USD: `cost` less `cost_before`.
    difference: Decimal
    # The difference by cause; the exact parts add up to it.
    parts: Parts



class ByTag(TypedDict):
    # The largest differences first, at most `limit`.
    rows: List[ByTagRow]
    # The sum of all others.
    others: ChangesOthers
    # Every cause, the largest amount first.
    causes: List[ByTagCause]



class ByTagCause(TypedDict):
    cause: CauseCause
    # USD; the nearest double of the exact amount.
    amount: Decimal
    # The largest amounts first, at most `limit`.
    rows: List[ByTagCauseRow]
    # The sum of all others.
    others: CauseOthers



class ByTagCauseRow(TypedDict):
    tag: str
    # USD; the nearest double of the exact amount.
    amount: Decimal



class ByTagRow(TypedDict):
    tag: str
    # USD; the nearest double of the exact amount.
    cost_before: Decimal
    # USD; the nearest double of the exact amount.
    cost: Decimal
    # USD: `cost` less `cost_before`.
    difference: Decimal
    # The difference by cause; the exact parts add up to it.
    parts: Parts



class CallCredit(TypedDict):
    # The share of the day's cost of the call's provider and model that free credits cover, from 0 to 1.
    covered_fraction: Decimal
    # USD, after free AI credits.
    net_cost: Decimal



class CallEvent(TypedDict):
    received_at: TimeText
    # The client that posted it.
    client_id: str
    # The JSON that was posted, unchanged.
    event: Dict[str, Any]



class CallPlain(TypedDict):
    event_id: str
    open: Literal[True]
    calls: Literal[0]
    # The first 100 events in the order of receipt, fewer if they are large; for an id with more than 1,000 events, those that decide the call. `GET /api/events/` has all.
    events: List[CallEvent]
    # How many events there are: of the call, or of its id if that has more than 1,000.
    events_total: int



class CallsAnswer(TypedDict):
    rows: List[RunRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _CallsBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class CallsBody(_CallsBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # Only the calls of this row: its days and, if the answer has groups, its value. Default: all calls.
    row: Optional[CallsFileRow]
    # Only these customers.
    customers: Optional[Sequence[str]]
    # Only these feature tags.
    features: Optional[Sequence[str]]
    # Only these models.
    models: Optional[Sequence[str]]
    # Only these providers.
    providers: Optional[Sequence[str]]
    # Only customers with these tags now; "" for those without the tag.
    customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Only runs with these tags, with all their calls.
    run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Only the calls with these ids, at most 1,000.
    event_ids: Optional[Sequence[str]]
    # Only the calls that `POST /api/waste/` counts by one of these causes, judged over the dates of the body.
    waste: Optional[Sequence[Waste]]
    # For each model, a cheaper one that might do, for the cause `dearer_model`.
    alternatives: Optional[Mapping[str, str]]
    # Adds `net_cost`: the cost after free AI credits.
    apply_credits: Optional[bool]
    # Which calls come first: by time, by gross cost, by the sum of their tokens, or by duration.
    order: Optional[CallsOrder]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]



class _CallsFileRow(TypedDict):
    # First day of the row.
    date_from: Day
    # Last day of the row.
    date_to: Day


class CallsFileRow(_CallsFileRow, total=False):
    customer: Optional[str]
    feature: Optional[str]
    model: Optional[str]
    provider: Optional[str]
    # The tag by which the answer is grouped.
    group_by: Optional[str]
    # The value of the tag; "" for calls without it.
    tag: Optional[str]



class Catalogue(TypedDict):
    version: str



class CatalogueSource(TypedDict):
    kind: Literal["catalogue"]
    # The version of the catalogue package.
    version: str
    # The catalogue's name of the provider that lists the model.
    provider: str
    # The catalogue's name of the model's entry.
    entry: str
    # The page that supports a correction of the entry; null when it is not corrected.
    correction_source: Optional[str]



class CauseOthers(TypedDict):
    # The number of further values.
    count: int
    # USD; the nearest double of the exact amount.
    amount: Decimal



class _ChangesAnswer(TypedDict):
    date_from: DayText
    date_to: DayText
    before_from: DayText
    before_to: DayText
    # Of the last day of both ranges, only calls in this many of its first hours are compared, because a range of up to 7 days ends with today; null where whole days are.
    hours: Optional[int]
    # USD; the nearest double of the exact amount.
    cost_before: Decimal
    # USD; the nearest double of the exact amount.
    cost: Decimal
    # USD: `cost` less `cost_before`.
    difference: Decimal
    # The difference by cause; the exact parts add up to it.
    parts: Parts
    by_customer: ChangesByCustomer
    by_model: ChangesByModel
    # A separate split, by feature and model: it adds up to the same difference, but calls of new and vanished customers count as more or fewer calls.
    by_feature: ByFeature


class ChangesAnswer(_ChangesAnswer, total=False):
    # With `group_by`: by value, a tag of customers as `by_customer`, a tag of calls as `by_feature`.
    by_tag: ByTag



class _ChangesBody(TypedDict):
    # First day of the range, inclusive, in the timezone of the project.
    date_from: Day
    # Last day of the range, inclusive.
    date_to: Day


class ChangesBody(_ChangesBody, total=False):
    # First day to compare with; default: for as many days.
    before_from: Optional[Day]
    # Last day to compare with; default: the day before `date_from`.
    before_to: Optional[Day]
    # Adds `by_tag`: by a tag of calls (`tag:env`), or of customers (`customer_tag:plan`).
    group_by: Optional[str]
    # Only these customers.
    customers: Optional[Sequence[str]]
    # Only these feature tags.
    features: Optional[Sequence[str]]
    # Only these models.
    models: Optional[Sequence[str]]
    # Only these providers.
    providers: Optional[Sequence[str]]
    # Only customers with these tags now; "" for those without the tag.
    customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Only runs with these tags, with all their calls.
    run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Compares costs after free AI credits.
    apply_credits: Optional[bool]
    # Maximum number of rows in a list.
    limit: Optional[int]



class ChangesByCustomer(TypedDict):
    # The largest differences first, at most `limit`.
    rows: List[ByCustomerRow]
    # The sum of all others.
    others: ChangesOthers
    # Every cause, the largest amount first.
    causes: List[ByCustomerCause]



class ChangesByModel(TypedDict):
    # The largest differences first, at most `limit`.
    rows: List[ByModelRow]
    # The sum of all others.
    others: ChangesOthers
    # Every cause, the largest amount first.
    causes: List[ByModelCause]



class ChangesOthers(TypedDict):
    # The number of further values.
    count: int
    # USD; the nearest double of the exact amount.
    cost_before: Decimal
    # USD; the nearest double of the exact amount.
    cost: Decimal
    # USD: `cost` less `cost_before`.
    difference: Decimal
    # The difference by cause; the exact parts add up to it.
    parts: Parts



class Close(TypedDict):
    id: str
    through: DayText
    # When it was made; later changes are not in it.
    created_at: TimeText
    note: Optional[str]
    # The timezone of its days.
    timezone: str
    # How many of its days have calls or readings of key metrics.
    days: int



class CloseDriftAnswer(TypedDict):
    rows: List[CloseDriftRow]
    # USD: now minus the close, over all rows, also those of other pages.
    totals: Totals
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class CloseDriftBody(TypedDict, total=False):
    # First day, inclusive; default: the first day of the close.
    date_from: Optional[Day]
    # Last day, inclusive; default: the last day of the close.
    date_to: Optional[Day]
    # Subtotals over all days instead of a row for each day.
    group_by: Optional[CloseDriftGroupBy]
    # Adds `shared_cost`.
    include_shared: Optional[bool]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]



class CloseDriftRow(TypedDict, total=False):
    day: DayText
    # Empty for calls without a customer, and for what was erased.
    customer: str
    cause: CloseDriftCause
    # USD, before credits. Left out when it is 0.
    cost: Decimal
    # USD. Left out when it is 0.
    revenue: Decimal
    # USD of the cost that credits cover. Left out when it is 0.
    credits: Decimal
    # USD of shared costs. Left out when it is 0.
    shared_cost: Decimal



class ClosesAnswer(TypedDict):
    closes: List[Close]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class Completeness(TypedDict):
    # Of the calls; as in `GET /api/coverage/`.
    priced_share: Decimal
    # Of the cost.
    customer_attributed_share: Decimal
    unpriced_calls: int



class Cost(TypedDict):
    now: Decimal
    before: Decimal



class CostPerCustomer(TypedDict):
    # USD: the cost of the customer at this percentile (10), by nearest rank.
    p10: Decimal
    # USD: the cost of the customer at this percentile (50), by nearest rank.
    p50: Decimal
    # USD: the cost of the customer at this percentile (90), by nearest rank.
    p90: Decimal
    # USD: the cost of the customer at this percentile (99), by nearest rank.
    p99: Decimal
    # USD: the cost of the dearest customer.
    most: Decimal



class CostsAnswer(TypedDict):
    rows: List[CostsRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _CostsBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class CostsBody(_CostsBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # One row per period; `all` is the whole range.
    aggregate: Optional[Aggregate]
    # Rows by a dimension, or a tag of calls (`tag:env`), or a tag of customers (`customer_tag:plan`).
    group_by: Optional[Union[CostsGroupBy, str]]
    # Only these customers.
    customers: Optional[Sequence[str]]
    # Only these feature tags.
    features: Optional[Sequence[str]]
    # Only these models.
    models: Optional[Sequence[str]]
    # Only these providers.
    providers: Optional[Sequence[str]]
    # Only customers with these tags now; "" for those without the tag.
    customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Only runs with these tags, with all their calls.
    run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Applies free AI credits to `cost` only.
    apply_credits: Optional[bool]
    # Adds shared costs to `cost`.
    include_shared: Optional[bool]
    # The id of a close: answers as of then.
    as_of: Optional[str]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]



class _CostsRow(TypedDict):
    date_from: DayText
    date_to: DayText
    # USD; the nearest double of the exact sum.
    cost: Decimal
    # USD, gross: the average over the feature runs of the row.
    avg_feature_run_cost: Decimal
    # USD, gross: the largest of the feature runs of the row.
    max_feature_run_cost: Decimal


class CostsRow(_CostsRow, total=False):
    customer: str
    feature: str
    model: str
    provider: str
    # Empty where there is no such tag.
    tag: str
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class CoverageAnswer(TypedDict):
    date_from: DayText
    date_to: DayText
    calls: int
    # Calls that are not unpriced. A failed call that reports no usage costs nothing and is counted here.
    priced_calls: int
    # From 0 to 1; 1 when the total is 0.
    priced_share: Decimal
    unpriced_calls: int
    # Calls with a unit or term without a known price, which cost the sum of their other parts; and calls with a kind of token that is charged like a wider kind, because its own price is not known. They count as priced.
    partly_priced_calls: int
    # USD; the nearest double of the exact sum.
    cost: Decimal
    # USD; the nearest double of the exact sum.
    customer_attributed_cost: Decimal
    # From 0 to 1; 1 when the total is 0.
    customer_attributed_share: Decimal
    # USD; the nearest double of the exact sum.
    feature_attributed_cost: Decimal
    # From 0 to 1; 1 when the total is 0.
    feature_attributed_share: Decimal
    # USD; the nearest double of the exact sum.
    user_attributed_cost: Decimal
    # From 0 to 1; 1 when the total is 0.
    user_attributed_share: Decimal
    # Models without a price and why, most calls first; the first 1,000.
    unpriced: List[Unpriced]
    # Units, terms and kinds of token without a known price, by model, most calls first; the first 1,000.
    partly_priced: List[CoveragePartlyPriced]
    # Calls that a further list priced, which nobody reviewed: by list, and by model with most calls first; the first 1,000.
    further_prices: FurtherPrices
    # Calls whose reports were joined only because process, model, output and time are alike. Reports that share an id are joined by it. `join_alike: false` leaves them apart.
    joined_alike: JoinedAlike
    # Calls that are alike and may be the same request. All count, because the project has set `join_alike: false`.
    possible_doubles: JoinedAlike
    # Ids whose last `.before` was received on these days, and that have no `.after` or `.error` received later or up to 48 hours before it, to the hour.
    open_calls: int
    # Fields in events received on these days that could not be used, most events first.
    ignored: List[Ignored]
    # Events received on these days for days that were already reduced to totals (`retention_days`). They are in the log, but in no total.
    beyond_retention: int
    # For each key metric, the events of its type on these days that hold no value it can use: no number for `sum`, no value or null for `unique`. Only key metrics that skip events, most events first.
    skipped_metric_values: List[SkippedMetricValue]
    # Revenue on these days from Stripe customers that no call, metadata or pair maps to a customer, the most first; the first 1,000.
    unmapped_revenue: List[UnmappedRevenue]
    # Revenue on these days that does not count, because its currency has no exchange rate yet.
    revenue_without_rate: List[RevenueWithoutRate]
    # Ids whose last event was received on these days and that have had more than 1,000 events, or a call with more than 256 tags, most events first; the first 100. Only some of their events decide their calls; all are in the log. `tags_left_out`: a call keeps the tags that name a dimension or a run, and the first of the others by their keys.
    overused_ids: List[OverusedId]
    # Ids whose events cannot be made into calls, of all time, the newest first; the first 100. Their events are in the log, and the log of the service has the cause.
    set_aside_ids: List[SetAsideId]



class CoverageDropAlert(TypedDict):
    kind: Literal["coverage_drop"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # Percentage points by which a share must be below its usual value.
    drop_points: Decimal
    # Days with fewer calls are not judged.
    least_calls: int



class CoverageList(TypedDict):
    list: str
    calls: int
    # USD; the nearest double of the exact sum.
    cost: Decimal



class CoveragePartlyPriced(TypedDict):
    name: str
    model: str
    provider: str
    calls: int



class Credit(TypedDict):
    name: str
    # USD.
    remaining: Decimal
    ends_on: DayText



class CreditCliffAnswer(TypedDict):
    # The first of the days.
    date_from: DayText
    # Last of them.
    date_to: DayText
    # USD: what remains of the grants in use.
    credits_left: Decimal
    # The day on which the last grant in use runs out or expires; null when that is not known, or none is in use.
    ends_on: Optional[DayText]
    # With free credits.
    now: CreditCliffNow
    # As it would be without credits.
    after: CreditCliffNow
    # Customers that turn come first, then the smallest margin without credits; at most 100.
    customers: List[CreditCliffCustomer]
    # The sum of all others.
    others: CreditCliffOthers



class CreditCliffCustomer(TypedDict):
    customer: str
    # Whether its revenue covers its cost with credits, and not without them.
    turns: bool
    # If it turns: the end of the credits, by provider, without which its revenue no longer covers its cost.
    turns_on: Optional[DayText]
    # With free credits.
    now: CreditCliffNow
    # As it would be without credits.
    after: CreditCliffNow



class CreditCliffNow(TypedDict):
    # USD.
    revenue: Decimal
    # USD.
    cost: Decimal
    # USD.
    margin: Decimal
    # As in `POST /api/margin/`.
    margin_pct: Decimal



class CreditCliffOthers(TypedDict):
    # The number of further customers.
    count: int
    # How many of them turn.
    turns: int
    # With free credits.
    now: CreditCliffNow
    # As it would be without credits.
    after: CreditCliffNow



class CreditEndingAlert(TypedDict):
    kind: Literal["credit_ending"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # Fires when a grant runs out or expires within this many days.
    days: int



class CreditGrant(TypedDict):
    id: str
    name: Optional[str]
    provider: str
    # Null for every model of the provider.
    models: Optional[List[str]]
    # USD.
    amount: Decimal
    starts_on: DayText
    expires_on: Optional[DayText]
    priority: int
    created_at: TimeText
    # USD; the exact sum of its discounts up to and including today.
    used: Decimal
    # USD; the amount less what was used.
    remaining: Decimal
    # The day on which nothing remains, predicted from the use of the last 30 days; for a grant that is used up, the day on which that happened. Null when it was not used on these days or expires before.
    runs_out_on: Optional[DayText]



class CreditGrantsAnswer(TypedDict):
    credit_grants: List[CreditGrant]



class Currency(TypedDict):
    # ISO 4217, such as EUR.
    currency: str
    # The rate applies from this day on, until that of the next rate.
    day: Day
    # What one unit is worth in USD, with at most 12 fractional digits.
    usd: Union[Number, str]



class Customers(TypedDict, total=False):
    # Customers that carry these tags now.
    customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    names: Optional[Sequence[str]]



class CustomersAnswer(TypedDict):
    rows: List[CustomersRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class CustomersRow(TypedDict):
    # The empty string stands for calls without one.
    name: str
    # The time of the earliest call; null without calls.
    first_seen: Optional[TimeText]
    # The time of the latest call; null without calls.
    last_seen: Optional[TimeText]
    calls: int
    # The tags it carries now.
    tags: Dict[str, str]



class DearestTenth(TypedDict):
    customers: int
    # USD earned on the days of the row.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # `revenue` − `cost`.
    margin: Decimal



class DeleteInvoicesAnswer(TypedDict):
    deleted: int



class Disagreeing(TypedDict):
    list: str
    version: str
    input_per_mtok: Optional[Decimal]
    output_per_mtok: Optional[Decimal]
    prices: List[str]



class EachSpent(TypedDict):
    of: str
    # USD; the nearest double of the exact sum.
    spent: Decimal
    # USD; negative once more than the amount is spent.
    remaining: Optional[Decimal]
    # Percent of the amount.
    spent_pct: Optional[Decimal]
    # The thresholds that are reached, ascending.
    thresholds_passed: List[int]



class Endpoint(TypedDict):
    id: str
    kind: NotificationEndpointsKind
    # For Slack only the host is shown, because the path is a secret.
    url: Optional[str]
    address: Optional[str]
    # Null for all.
    alerts: Optional[List[Alert]]
    enabled: bool
    # `gone`: it answered 410 and was disabled for it.
    disabled_reason: Optional[Literal["gone"]]
    # How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
    digest: Optional[NotificationEndpointsDigest]
    digest_day: Optional[int]
    digest_hour: Optional[int]
    # Until when the secret before the last rotation signs too.
    old_secret_until: Optional[TimeText]
    # How many deliveries wait for their first or next attempt.
    waiting: int
    created_at: TimeText
    updated_at: TimeText



class EventsAnswer(TypedDict):
    rows: List[CallEvent]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class ExchangeRatesAnswer(TypedDict):
    rates: List[ExchangeRatesRate]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class ExchangeRatesRate(TypedDict):
    currency: str
    day: DayText
    # What one unit is worth in USD.
    usd: Decimal



class _Explanation(TypedDict):
    # Whether the events and the price book still give the stored cost. False, without lines, when this version of Farthing reads them differently from the version that costed the call. The stored cost stays until its day is repriced or rebuilt.
    reproduced: bool
    # The products that add up to the cost; empty if the cost was reported or if there is none.
    lines: List[Union[TokensLine, UnitLine, RequestLine]]
    # The units and terms of the call without a known price, `other_models` for tokens of another model without one, `prompt_sizes` where a sum of requests may hold one with a higher price, and kinds of token without a rate of their own, which are charged like a wider kind (`rate_of`): the cost is that of all else.
    partly_priced: List[CallPartlyPriced]
    # The reason for a cost that no price explains.
    note: Optional[str]
    # USD: the cost that a gateway or another tool computed. It is the cost of the call if Farthing has no price.
    reported_cost: Optional[Decimal]
    # The snapshot of prices that the cost was computed with.
    price_book: PriceBook
    # The other reports of the same request, the outermost first. They are wrappers, and cost nothing.
    reports: List[Report]
    # The discount by free AI credits.
    credit: CallCredit


class Explanation(_Explanation, total=False):
    # The event id of the call that counts for this one: the same request, or the first of several that this one adds up. Only if `cost_source` is `wrapper`.
    wraps: str



class Feature(TypedDict):
    feature: str
    # USD
    cost: Decimal



class FeaturesAnswer(TypedDict):
    rows: List[FeaturesRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class FeaturesRow(TypedDict):
    # The empty string stands for calls without one.
    name: str
    # The time of the earliest call; null without calls.
    first_seen: Optional[TimeText]
    # The time of the latest call; null without calls.
    last_seen: Optional[TimeText]
    calls: int



class Firing(TypedDict):
    id: str
    kind: Alert
    # What it is about, such as a customer, a model, or a threshold of a budget.
    subject: Dict[str, Union[str, Decimal]]
    started_at: TimeText
    # Null while its cause lasts.
    ended_at: Optional[TimeText]
    # The numbers that fired, as they were then.
    numbers: Dict[str, Any]
    title: str
    text: str
    # The path of the page that shows the numbers.
    path: str



class FiringsAnswer(TypedDict):
    firings: List[Firing]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class FocusAnswer(TypedDict):
    rows: List[FocusRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _FocusRow(TypedDict):
    # USD; what the calls cost; below 0 for a credit.
    BilledCost: Decimal
    # The id of the project.
    BillingAccountId: str
    # The name of the project.
    BillingAccountName: Optional[str]
    BillingCurrency: Literal["USD"]
    # The end of the month in the timezone of the project, exclusive.
    BillingPeriodEnd: TimeText
    # The start of the month in the timezone of the project.
    BillingPeriodStart: TimeText
    # Calls and days of shared costs, or what free AI credits take off the cost of calls.
    ChargeCategory: ChargeCategory
    # Null: the rows are of what is in force, now or at the close.
    ChargeClass: Optional[Literal["Correction"]]
    ChargeDescription: Optional[str]
    ChargeFrequency: ChargeFrequency
    # The end of the day in the timezone of the project, exclusive.
    ChargePeriodEnd: TimeText
    # The start of the day in the timezone of the project.
    ChargePeriodStart: TimeText
    # The tokens of all buckets, or a day; null for a credit.
    ConsumedQuantity: Optional[int]
    ConsumedUnit: Optional[ConsumedUnit]
    # USD; equal to `BilledCost`.
    ContractedCost: Decimal
    # USD; equal to `BilledCost`.
    EffectiveCost: Decimal
    # The provider of the calls.
    InvoiceIssuerName: str
    # USD; equal to `BilledCost`.
    ListCost: Decimal
    # Null for a credit.
    PricingCategory: Optional[Literal["Standard"]]
    # The tokens of all buckets, or a day; null for a credit.
    PricingQuantity: Optional[Decimal]
    PricingUnit: Optional[ConsumedUnit]
    ServiceCategory: Literal["AI and Machine Learning"]
    # The provider of the calls.
    ServiceName: str
    ServiceSubcategory: Literal["Generative AI"]
    # The provider and the model, with a slash between them.
    SkuId: str
    # The model.
    SkuMeter: str
    SkuPriceDetails: Optional[Dict[str, Any]]
    # As `SkuId`; null for a credit.
    SkuPriceId: Optional[str]
    # The customer; null for calls without one.
    SubAccountId: Optional[str]
    # The customer; null for calls without one.
    SubAccountName: Optional[str]
    # The tags that the customer carries now, or carried at the close.
    Tags: Optional[Dict[str, str]]
    # How many calls; null without any.
    x_Calls: Optional[int]
    # Tokens by bucket, without buckets of 0.
    x_Tokens: Optional[Dict[str, Decimal]]
    # What is charged for besides tokens, by unit.
    x_Units: Optional[Dict[str, Decimal]]


class FocusRow(_FocusRow, total=False):
    # The provider of the calls.
    HostProviderName: str
    # Null: calls are not part of an invoice.
    InvoiceId: None
    # The provider of the calls.
    ProviderName: str
    # The provider of the calls.
    PublisherName: str
    # The provider of the calls.
    ServiceProviderName: str



class FurtherListSource(TypedDict):
    kind: Literal["further_list"]
    # A public price list that Farthing did not review: `llm-zoo`, `litellm` …
    list: str
    # The version of the list.
    version: str
    # The list's name of the provider.
    provider: str
    # The list's name of the model.
    entry: str



class FurtherPrices(TypedDict):
    calls: int
    # USD; the nearest double of the exact sum.
    cost: Decimal
    lists: List[CoverageList]
    models: List[FurtherPricesModel]



class FurtherPricesModel(TypedDict):
    provider: str
    model: str
    list: str
    version: str
    calls: int
    # USD; the nearest double of the exact sum.
    cost: Decimal
    # Other lists with a price that differs by more than 1 %. `prices` names which: `cache_read`, `input_above_32000`.
    disagreeing: List[Disagreeing]



class Hook(TypedDict):
    id: str
    # The path to which Stripe posts, below the address of the service.
    url_path: str
    customer_key: Optional[str]
    created_at: TimeText
    # Events that have changed something.
    events: int
    # When Stripe made the newest event that was accepted.
    last_event_at: Optional[TimeText]
    # Whether the secret before the last rotation is still valid.
    has_old_secret: bool
    # The last webhook that was refused; kept for at least five seconds.
    last_refusal: Optional[LastFault]



class Ignored(TypedDict):
    field: str
    events: int



class Included(TypedDict):
    # USD of cost, calls, all tokens, or a key metric.
    unit: Union[SimulateUnit, str]
    amount: Union[Number, str]



class InvoicesAnswer(TypedDict):
    rows: List[InvoicesRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class InvoicesRow(TypedDict):
    external_id: str
    provider: str
    date_from: DayText
    date_to: DayText
    model: Optional[str]
    # USD; negative for a discount or credit.
    amount: Decimal
    kind: InvoicesKind
    description: Optional[str]
    created_at: TimeText
    updated_at: TimeText



class JoinedAlike(TypedDict):
    calls: int
    # USD; the nearest double of the exact sum.
    cost: Decimal
    # Most calls first; the first 1,000.
    models: List[JoinedAlikeModel]



class JoinedAlikeModel(TypedDict):
    model: str
    provider: str
    calls: int
    # USD; the nearest double of the exact sum.
    cost: Decimal



class KeyMetric(TypedDict):
    name: str
    event_type: str
    aggregation: Aggregation
    field: Optional[str]
    features: Optional[List[str]]
    unit: Optional[str]
    created_at: TimeText
    updated_at: TimeText



class KeyMetricsAnswer(TypedDict):
    key_metrics: List[KeyMetric]



class LastFault(TypedDict):
    at: TimeText
    reason: str



class LastRead(TypedDict):
    date_from: DayText
    date_to: DayText
    entries: int
    calls: int
    entries_changed: int
    calls_changed: int



class MarginAnswer(TypedDict):
    rows: List[MarginRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _MarginBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class MarginBody(_MarginBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # One row per period; `all` is the whole range.
    aggregate: Optional[Aggregate]
    # Rows by a dimension, or a tag of customers (`customer_tag:plan`).
    group_by: Optional[Union[Literal["customer"], str]]
    # Only these customers.
    customers: Optional[Sequence[str]]
    # Keeps only customers with a call of one of these features in the row's period, with all their cost and revenue.
    filter_customers_based_on_features: Optional[Sequence[str]]
    # Applies free AI credits to `cost`.
    apply_credits: Optional[bool]
    # Adds shared costs to `cost`.
    include_shared: Optional[bool]
    # The id of a close: answers as of then.
    as_of: Optional[str]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]



class _MarginRow(TypedDict):
    date_from: DayText
    date_to: DayText
    # USD earned on the days of the row.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # `revenue` − `cost`.
    margin: Decimal
    # 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.
    margin_pct: Decimal
    # `unprofitable` below a margin of 0; `at_risk` below the project's `at_risk_below_pct`.
    risk_status: RiskStatus


class MarginRow(_MarginRow, total=False):
    customer: str
    # Empty where there is no such tag.
    tag: str
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class Model(TypedDict):
    # `disagrees`: the second list has another price. `missing`: only the second list has a price. `changed`: the newer catalogue has another price.
    finding: Finding
    provider: str
    model: str
    # Calls of the model on these days.
    calls: int
    # Those of them that a price override of the project prices.
    overridden_calls: int
    # The rates that differ.
    rates: List[PriceCheckRate]



class ModelPriceAnswer(TypedDict):
    model: str
    # The provider of the request, or the maker of the model.
    provider: str
    service_tier: Optional[str]
    # The time at which the price applies.
    at: TimeText
    # The snapshot of prices for new calls.
    price_book: PriceBook
    # Of the rates of tokens. Null: the model has only prices of units.
    source: Optional[Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]]
    # Whether the list has other rates at other hours of a day; these are those of `at`.
    by_hour: bool
    # For prompts that exceed no bound of `tiers`.
    rates: ModelPriceRates
    # Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call.
    tiers: List[Tier]
    # The terms of the request that changed the rates, which include them.
    terms: List[Term]
    # The terms of the request that may change the rates but have no known price.
    partly_priced: List[ModelPriceName]
    # The kinds of token that have the rate of a wider kind, because their own is not known.
    assumed_rates: List[AssumedRate]
    # What terms do to the rates; most specific first. Empty for an override, whose rates no term changes.
    term_prices: List[TermPrice]
    # The prices of units. The first price of a unit whose `when` fits a call is used.
    units: List[ModelPriceUnit]
    # The next smaller model of the same maker, family and version that the price list has; null: none.
    smaller_model: Optional[str]



class ModelPriceRates(TypedDict):
    # USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced.
    per_mtok: PerMtok
    # USD per call.
    per_request: Optional[Decimal]



class ModelPriceUnit(TypedDict):
    unit: UnitUnit
    # The values of the terms to which it applies.
    when: Dict[str, List[str]]
    # USD per one.
    rate_per_unit: Decimal
    # Where the unit price comes from.
    source: Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]



class ModelsAnswer(TypedDict):
    rows: List[ModelsRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class ModelsRow(TypedDict):
    # The empty string stands for calls without one.
    name: str
    # The time of the earliest call; null without calls.
    first_seen: Optional[TimeText]
    # The time of the latest call; null without calls.
    last_seen: Optional[TimeText]
    calls: int
    # Whether `GET /api/models/{name}/price/` has a price for it now, from the provider that makes it.
    has_price: bool



class Newer(TypedDict):
    version: str
    fetched_at: TimeText



class Newest(TypedDict):
    title: str
    path: str



class NextStepsAnswer(TypedDict):
    # The largest amount first, at most five. Wasted money and smaller models take only the places that others leave.
    steps: List[NextStepsStep]



class NextStepsStep(TypedDict):
    kind: NextStepsKind
    # The customer, the model, the cause of waste or the grant that it is about.
    subject: str
    # USD on the days of the page that `link` leads to, as that page shows it.
    amount: Decimal
    # USD in 30 days, at the rate of the days that it is judged by, from the first call on.
    amount_per_month: Decimal
    # One sentence with the number in it.
    reason: str
    # The path of the page that shows what makes up the number.
    link: str



class NoEventsAlert(TypedDict):
    kind: Literal["no_events"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # How many times the longest silence of the last 28 days a silence must last.
    factor: Decimal
    # A shorter silence never fires.
    least_minutes: int



class NotChanged(TypedDict):
    calls: int
    # USD, included in `after`.
    cost: Decimal
    # The 100 with most calls.
    by_model: List[NotChangedByModel]



class NotChangedByModel(TypedDict):
    model: str
    reason: RepriceReason
    calls: int
    cost: Decimal



class Notification(TypedDict):
    id: str
    # Null for a digest and a test.
    alert: Optional[Alert]
    event: NotificationEndpointAttemptsEvent



class NotificationEndpointAttemptsAnswer(TypedDict):
    attempts: List[Attempt]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class NotificationEndpointsAnswer(TypedDict):
    endpoints: List[Endpoint]



class _Ordinal(TypedDict):
    event_id: str
    # 0, or higher when the id was used again for another call.
    ordinal: int
    # The day of the call in the timezone of the project.
    day: DayText
    # The time of the first outcome received for the call.
    time: TimeText
    customer: str
    user: str
    feature: str
    # The run that the call names; without one, the call is its own run.
    run: str
    model: str
    provider: str
    tags: Dict[str, str]
    failed: bool
    # Whether its answer was not read to the end, according to an event.
    aborted: bool
    elapsed_ms: Optional[Decimal]
    # USD, gross.
    cost: Decimal
    # Where the cost comes from. `further_list`: a public price list that nobody reviewed; `none`: the call failed or is free, and reports no usage; `unpriced`: its model has no price, or nobody reports its usage; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called.
    cost_source: CostSource
    # Why the call has no price; null when it has one.
    unpriced_reason: Optional[str]
    # The units and terms without a known price: the cost is that of all else. Empty if there are none.
    partly_priced: List[str]
    # Token counts by bucket; each token is in exactly one.
    tokens: Tokens
    # What the provider charges for besides tokens, by unit; only units that were used.
    units: Dict[str, Decimal]
    # What changes the rates of the call; only terms that its events name.
    terms: Dict[str, str]
    open: Literal[False]
    # How many calls the id has: more than one when it was used again.
    calls: int
    explanation: Explanation
    # The first 100 events in the order of receipt, fewer if they are large; for an id with more than 1,000 events, those that decide the call. `GET /api/events/` has all.
    events: List[CallEvent]
    # How many events there are: of the call, or of its id if that has more than 1,000.
    events_total: int


class Ordinal(_Ordinal, total=False):
    # USD, after free AI credits; only with `apply_credits`.
    net_cost: Decimal



class OtherModels(TypedDict):
    models: int
    # USD, gross.
    before: Decimal
    # USD, gross.
    after: Decimal



class Overage(TypedDict):
    # USD of cost, calls, all tokens, or a key metric.
    unit: Union[SimulateUnit, str]
    # USD for one more.
    price: Union[Number, str]



class _Override(TypedDict):
    # The name of a model, or a prefix of names when it ends in *.
    model: str
    # USD per million tokens.
    input_per_mtok: Union[Number, str]
    output_per_mtok: Union[Number, str]


class Override(_Override, total=False):
    # Matches without regard to case. Default: every provider.
    provider: Optional[str]
    # The same as `terms.service_tier`.
    service_tier: Optional[str]
    # Only calls that name these terms, in upper or lower case.
    terms: Optional[Mapping[str, str]]
    # First day, inclusive, in the timezone of the project.
    effective_from: Optional[Day]
    # Last day, inclusive.
    effective_to: Optional[Day]
    cache_read_per_mtok: Optional[Union[Number, str]]
    cache_write_per_mtok: Optional[Union[Number, str]]
    input_audio_per_mtok: Optional[Union[Number, str]]
    output_audio_per_mtok: Optional[Union[Number, str]]
    reasoning_per_mtok: Optional[Union[Number, str]]
    # USD per call.
    per_request: Optional[Union[Number, str]]
    # USD per one of each unit. Default: the list price. The price of requests is `per_request`.
    units: Optional[Mapping[str, Union[Number, str]]]



class OverrideSource(TypedDict):
    kind: Literal["override"]
    override_id: str



class OverusedId(TypedDict):
    event_id: str
    events: int
    tags_left_out: bool



class Parts(TypedDict):
    # More or fewer calls.
    calls: Decimal
    # Another mix of models and providers.
    mix: Decimal
    # More or fewer failed calls, which cost nothing or less.
    failures: Decimal
    # Longer or shorter calls: tokens, and other units, of a call that succeeded.
    tokens_per_call: Decimal
    # Another share of the input was read from, or written to, the provider’s cache.
    cached_share: Decimal
    # Other prices of the same usage.
    prices: Decimal
    # Customers with calls in the range, and none before.
    new_customers: Decimal
    # Customers with calls before, and none in the range.
    vanished_customers: Decimal



class PatchNotificationEndpointBody(TypedDict, total=False):
    # For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`.
    url: Optional[str]
    # For `email`.
    address: Optional[str]
    # The kinds of alerts that it gets; null for all. Empty for digests alone.
    alerts: Optional[Sequence[Alert]]
    enabled: Optional[bool]
    # How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
    digest: Optional[NotificationEndpointsDigest]
    # The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1.
    digest_day: Optional[int]
    # The hour at which it is sent, in the timezone of the project; default: 8.
    digest_hour: Optional[int]



class PatchProviderAccountBody(TypedDict, total=False):
    # An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again.
    key: Optional[str]
    # `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.
    mode: Optional[Mode]
    # Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace.
    names: Optional[Sequence[PatchProviderAccountName]]



class _PatchProviderAccountName(TypedDict):
    # What the id belongs to. A project of OpenAI is a workspace.
    by: PostProviderAccountsBy
    # The id at the provider, as on the calls.
    id: str


class PatchProviderAccountName(_PatchProviderAccountName, total=False):
    customer: Optional[str]
    user: Optional[str]
    feature: Optional[str]



class PatchStripeBody(TypedDict, total=False):
    # The signing secret that Stripe shows for the endpoint.
    signing_secret: Optional[str]
    # The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none.
    customer_key: Optional[str]



class PerMtok(TypedDict):
    input: Optional[Decimal]
    cache_read: Optional[Decimal]
    cache_write: Optional[Decimal]
    cache_write_1h: Optional[Decimal]
    input_audio: Optional[Decimal]
    cache_read_audio: Optional[Decimal]
    input_image: Optional[Decimal]
    cache_read_image: Optional[Decimal]
    input_video: Optional[Decimal]
    output: Optional[Decimal]
    reasoning: Optional[Decimal]
    output_audio: Optional[Decimal]
    output_image: Optional[Decimal]
    output_video: Optional[Decimal]



class PerformanceAnswer(TypedDict):
    rows: List[PerformanceRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _PerformanceBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class PerformanceBody(_PerformanceBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # One row per period; `all` is the whole range.
    aggregate: Optional[Aggregate]
    # Rows by a dimension, or a tag of users (`user_tag:team`).
    group_by: Optional[Union[Literal["user"], str]]
    # Only these users.
    users: Optional[Sequence[str]]
    # Keeps only users that used any of these feature tags in the period; rows of other users are removed.
    filter_users_based_on_features: Optional[Sequence[str]]
    # Only users with these tags now.
    user_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Applies free AI credits to costs.
    apply_credits: Optional[bool]
    # Adds shared costs to `cost`.
    include_shared: Optional[bool]
    # The id of a close: answers as of then.
    as_of: Optional[str]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]



class PerformanceKeyMetric(TypedDict):
    # The value of the key metric over the events of the row; never 0.
    value: Decimal
    # USD: the row's cost for the features of the key metric.
    total_cost: Decimal
    # USD: total_cost / value.
    cost_per_unit: Decimal



class _PerformanceRow(TypedDict):
    date_from: DayText
    date_to: DayText
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # The key metrics that have data for the row, by name.
    key_metrics: Dict[str, PerformanceKeyMetric]


class PerformanceRow(_PerformanceRow, total=False):
    user: str
    # Empty where there is no such tag.
    tag: str
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class PlansAnswer(TypedDict):
    rows: List[PlansRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _PlansBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class PlansBody(_PlansBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # One row per period; `all` is the whole range.
    aggregate: Optional[Aggregate]
    # The tag of customers whose values are the plans.
    plan_tag: Optional[str]
    # Only these customers.
    customers: Optional[Sequence[str]]
    # Only customers with a call of one of these features in the row's period.
    filter_customers_based_on_features: Optional[Sequence[str]]
    # Applies free AI credits to costs.
    apply_credits: Optional[bool]
    # Adds shared costs to `cost`.
    include_shared: Optional[bool]
    # Percent of revenue to reach; default: `at_risk_below_pct` of the project.
    target_margin_pct: Optional[Union[Number, str]]
    # The id of a close: answers as of then.
    as_of: Optional[str]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]



class _PlansRow(TypedDict):
    date_from: DayText
    date_to: DayText
    # A value of the tag; "" for customers without it.
    plan: str
    # Customers with a call or revenue in the period, without calls that name no customer.
    customers: int
    # USD earned on the days of the row.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # `revenue` − `cost`.
    margin: Decimal
    # 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.
    margin_pct: Decimal
    # The cost of single customers in the period; 0 without customers.
    cost_per_customer: CostPerCustomer
    # Customers that cost more than they paid.
    below_zero: int
    # Their share of the customers, from 0 to 1.
    below_zero_share: Decimal
    # Customers whose margin is below the target, or zero; null without a target.
    below_target: Optional[int]
    # Their share of the customers, from 0 to 1; null without a target.
    below_target_share: Optional[Decimal]
    # The most expensive tenth of the customers, rounded up to whole customers.
    dearest_tenth: DearestTenth
    # The features that cost most, at most 20, without shared costs; null after credits if calls of the days are deleted.
    features: Optional[List[Feature]]
    # USD: the cost of all other features, without shared costs; null if `features` is.
    other_features_cost: Optional[Decimal]


class PlansRow(_PlansRow, total=False):
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class _PostBudgetsBody(TypedDict):
    # 1 to 128 characters, unique in the project.
    name: str
    # USD, with at most 12 fractional digits.
    amount: Union[Number, str]


class PostBudgetsBody(_PostBudgetsBody, total=False):
    # The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`.
    period: Optional[Period]
    # Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day.
    window: Optional[str]
    # The calls whose cost counts: AND between filters, OR within one. Left out: all calls.
    scope: Optional[PutBudgetScope]
    # Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls.
    each: Optional[Each]
    # Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100.
    thresholds: Optional[Sequence[int]]
    # Counts what credits cover as not spent.
    apply_credits: Optional[bool]



class _PostClosesBody(TypedDict):
    # The last day to close, before today in the timezone of the project and after the latest close.
    through: Day


class PostClosesBody(_PostClosesBody, total=False):
    # For people: what it was closed for.
    note: Optional[str]



class PostCreditGrantsAnswer(TypedDict):
    id: str
    name: Optional[str]
    provider: str
    # Null for every model of the provider.
    models: Optional[List[str]]
    # USD.
    amount: Decimal
    starts_on: DayText
    expires_on: Optional[DayText]
    priority: int
    created_at: TimeText



class _PostCreditGrantsBody(TypedDict):
    # Not case-sensitive.
    provider: str
    # USD, with at most 12 fractional digits.
    amount: Union[Number, str]
    # First day, inclusive, in the timezone of the project.
    starts_on: Day


class PostCreditGrantsBody(_PostCreditGrantsBody, total=False):
    # Names of models; one that ends in * matches every model that starts with it. Left out: every model of the provider.
    models: Optional[Sequence[str]]
    # Last day, inclusive; left out: it never expires.
    expires_on: Optional[Day]
    # Of the grants that are valid on a day, the one with the lowest number is used first.
    priority: Optional[int]
    # A label for people; it has no effect.
    name: Optional[str]



class PostCustomerTagsAnswer(TypedDict):
    ok: Literal[True]
    # Distinct customers.
    customers_updated: int



class _PostCustomerTagsBody(TypedDict):
    customers: Sequence[PostCustomerTagsCustomer]


class PostCustomerTagsBody(_PostCustomerTagsBody, total=False):
    # True overwrites tags that exist; otherwise such a tag is a conflict (409).
    upsert: Optional[bool]



class PostCustomerTagsCustomer(TypedDict):
    # The name of the customer, as on its calls.
    customer_name: str
    # A string sets the tag, null deletes it.
    tags: Mapping[str, Optional[str]]



class PostInvoicesAnswer(TypedDict):
    stored: int



class PostInvoicesBody(TypedDict):
    entries: Sequence[PostInvoicesEntry]



class _PostInvoicesEntry(TypedDict):
    # Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone.
    external_id: str
    # The provider, as named on its calls; upper and lower case are the same.
    provider: str
    # First day, inclusive, in UTC, as providers count days.
    date_from: Day
    # USD, at most 12 fractional digits, as it changes the invoice: discounts and credits are negative.
    amount: Union[Number, str]


class PostInvoicesEntry(_PostInvoicesEntry, total=False):
    # Last day, inclusive; default: date_from.
    date_to: Optional[Day]
    # The model, as the invoice names it. Leave it out if the invoice names none.
    model: Optional[str]
    # What the amount is for.
    kind: Optional[InvoicesKind]
    # What the invoice calls it.
    description: Optional[str]



class PostNotificationEndpointRotateSecretAnswer(TypedDict):
    id: str
    kind: NotificationEndpointsKind
    # For Slack only the host is shown, because the path is a secret.
    url: Optional[str]
    address: Optional[str]
    # Null for all.
    alerts: Optional[List[Alert]]
    enabled: bool
    # `gone`: it answered 410 and was disabled for it.
    disabled_reason: Optional[Literal["gone"]]
    # How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
    digest: Optional[NotificationEndpointsDigest]
    digest_day: Optional[int]
    digest_hour: Optional[int]
    # Until when the secret before the last rotation signs too.
    old_secret_until: Optional[TimeText]
    # How many deliveries wait for their first or next attempt.
    waiting: int
    created_at: TimeText
    updated_at: TimeText
    # Shown only once.
    secret: str



class PostNotificationEndpointTestAnswer(TypedDict):
    webhook_id: str
    notification_id: str



class PostNotificationEndpointsAnswer(TypedDict):
    id: str
    kind: NotificationEndpointsKind
    # For Slack only the host is shown, because the path is a secret.
    url: Optional[str]
    address: Optional[str]
    # Null for all.
    alerts: Optional[List[Alert]]
    enabled: bool
    # `gone`: it answered 410 and was disabled for it.
    disabled_reason: Optional[Literal["gone"]]
    # How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
    digest: Optional[NotificationEndpointsDigest]
    digest_day: Optional[int]
    digest_hour: Optional[int]
    # Until when the secret before the last rotation signs too.
    old_secret_until: Optional[TimeText]
    # How many deliveries wait for their first or next attempt.
    waiting: int
    created_at: TimeText
    updated_at: TimeText
    # For `webhook`, shown only once; else null.
    secret: Optional[str]



class _PostNotificationEndpointsBody(TypedDict):
    # `webhook` is signed by Standard Webhooks, `slack` is an incoming webhook of Slack.
    kind: NotificationEndpointsKind


class PostNotificationEndpointsBody(_PostNotificationEndpointsBody, total=False):
    # For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`.
    url: Optional[str]
    # For `email`.
    address: Optional[str]
    # The kinds of alerts that it gets; null for all. Empty for digests alone.
    alerts: Optional[Sequence[Alert]]
    enabled: Optional[bool]
    # How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
    digest: Optional[NotificationEndpointsDigest]
    # The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1.
    digest_day: Optional[int]
    # The hour at which it is sent, in the timezone of the project; default: 8.
    digest_hour: Optional[int]



class PostProjectRebuildsAnswer(TypedDict):
    id: str



class _PostProviderAccountsBody(TypedDict):
    kind: ProviderAccountsKind
    # An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again.
    key: str


class PostProviderAccountsBody(_PostProviderAccountsBody, total=False):
    # The first day to read; default: 30 days ago. OpenRouter keeps 30 days.
    since: Optional[Day]
    # `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.
    mode: Optional[Mode]
    # Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace.
    names: Optional[Sequence[PatchProviderAccountName]]



class PostRepriceAssume(TypedDict, total=False):
    # Prices the calls of each model, by its name in calls, as calls of the other model. All are replaced at once, none twice.
    models: Optional[Mapping[str, str]]
    # Price overrides, as POST /api/prices/ takes them, as if they were in force; the last one is the newest.
    overrides: Optional[Sequence[Override]]
    # The share of the text tokens of each prompt, without cache writes, that is read from the cache. Rounded down to whole tokens.
    cached_share: Optional[Union[Number, str]]
    # Prices the calls as if this service tier had served them, such as `batch` or `flex`.
    service_tier: Optional[str]



class _PostRepriceBody(TypedDict):
    # First day, inclusive, in the timezone of the project.
    date_from: Day


class PostRepriceBody(_PostRepriceBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # If true, only the difference is reported; false puts the new numbers in force.
    dry_run: Optional[bool]
    # True also reads the stored text of the events of these days again, as this release understands usage, units and terms.
    reread: Optional[bool]
    # Makes it a what-if: what would these days have cost? Always a dry run, for which the scope `read` is enough.
    assume: Optional[PostRepriceAssume]



class PostRevenueAnswer(TypedDict):
    ok: Literal[True]
    entries_stored: int



class PostRevenueBody(TypedDict):
    entries: Sequence[PostRevenueEntry]



class _PostRevenueEntry(TypedDict):
    # Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone.
    external_id: str
    # The customer, as named on its calls.
    customer: str
    # USD, at most 12 fractional digits; negative for a refund.
    amount: Union[Number, str]
    # First day, inclusive, in the timezone of the project.
    date_from: Day


class PostRevenueEntry(_PostRevenueEntry, total=False):
    # Last day, inclusive; default: date_from.
    date_to: Optional[Day]



class PostSharedCostsBody(TypedDict):
    entries: Sequence[PostSharedCostsEntry]



class _PostSharedCostsEntry(TypedDict):
    # Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone.
    external_id: str
    # A name for people.
    name: str
    # USD, at most 12 fractional digits; negative for money that comes back.
    amount: Union[Number, str]
    # First day, inclusive, in the timezone of the project.
    date_from: Day
    # The number in proportion to which calls share the amount of a day.
    allocate_by: AllocateBy


class PostSharedCostsEntry(_PostSharedCostsEntry, total=False):
    # Last day, inclusive; default: date_from.
    date_to: Optional[Day]
    # The calls that share the amount: AND between filters, OR within one. Left out: all calls.
    scope: Optional[PostSharedCostsScope]



class PostSharedCostsScope(TypedDict, total=False):
    # Only calls of these providers.
    providers: Optional[Sequence[str]]
    # Only calls of these models.
    models: Optional[Sequence[str]]
    # Only calls of these feature tags.
    features: Optional[Sequence[str]]
    # Only calls that carry these tags: AND across keys, OR within the values of one.
    tags: Optional[Mapping[str, Union[str, Sequence[str]]]]



class _PostStripeBody(TypedDict):
    # The signing secret that Stripe shows for the endpoint.
    signing_secret: str


class PostStripeBody(_PostStripeBody, total=False):
    # The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none.
    customer_key: Optional[str]



class PostStripeObjectsAnswer(TypedDict):
    ok: Literal[True]
    # How many objects revenue depends on.
    objects: int
    # How many of them brought something new.
    changed: int
    ignored: int



class _PostStripeObjectsBody(TypedDict):
    # Objects of Stripe as its API returns them, such as invoices, or its events.
    objects: Sequence[Any]


class PostStripeObjectsBody(_PostStripeObjectsBody, total=False):
    # When the objects were read, in seconds since 1970. States of them before that do not count. Default: the latest time that each object names.
    read_at: Optional[int]



class PostUserTagsAnswer(TypedDict):
    ok: Literal[True]
    # Distinct users.
    users_updated: int



class _PostUserTagsBody(TypedDict):
    users: Sequence[User]


class PostUserTagsBody(_PostUserTagsBody, total=False):
    # True overwrites tags that exist; otherwise such a tag is a conflict (409).
    upsert: Optional[bool]



class PreviewAnswer(TypedDict):
    # What webhooks get, as `details`.
    digest: PreviewDigest
    subject: str
    # The mail as plain text.
    text: str
    # The mail as HTML, without scripts and remote images.
    html: str



class _PreviewBody(TypedDict):
    every: NotificationEndpointsDigest


class PreviewBody(_PreviewBody, total=False):
    # The day on which it would be sent; default: today in the timezone of the project.
    on: Optional[Day]



class PreviewBudget(TypedDict):
    name: str
    of: Optional[str]
    # USD.
    spent: Decimal
    # USD.
    amount: Decimal
    date_to: DayText



class PreviewCause(TypedDict):
    name: CauseCause
    # USD.
    amount: Decimal



class PreviewChange(TypedDict):
    dimension: PreviewDimension
    name: str
    # USD.
    difference: Decimal
    # The largest part of the difference in its direction, of `POST /api/changes/`.
    cause: Optional[PreviewCause]



class PreviewCustomer(TypedDict):
    customer: str
    # USD.
    margin: Decimal



class PreviewDigest(TypedDict):
    every: NotificationEndpointsDigest
    date_from: DayText
    date_to: DayText
    before_from: DayText
    before_to: DayText
    cost: Cost
    calls: Cost
    # USD, as in `POST /api/margin/`; null for internal projects.
    revenue: Optional[Cost]
    # USD; null for internal projects.
    margin: Optional[Cost]
    # Null for internal projects.
    margin_pct: Optional[Cost]
    # What changed the cost most: at most five rows of `POST /api/changes/`, the largest first. Empty if calls of the days are deleted.
    changes: List[PreviewChange]
    unprofitable: Unprofitable
    alerts: Alerts
    # At most three, of `GET /api/next-steps/`.
    next_steps: List[NextStepsStep]
    # Budgets that have passed a threshold in their period; at most five.
    budgets: List[PreviewBudget]
    # Free credits that end within 30 days.
    credits: List[Credit]
    # Null if calls of the days are deleted.
    completeness: Optional[Completeness]



class Price(TypedDict):
    id: str
    provider: Optional[str]
    model: str
    # That of `terms`.
    service_tier: Optional[str]
    terms: Dict[str, str]
    effective_from: Optional[str]
    effective_to: Optional[str]
    input_per_mtok: Decimal
    output_per_mtok: Decimal
    cache_read_per_mtok: Optional[Decimal]
    cache_write_per_mtok: Optional[Decimal]
    input_audio_per_mtok: Optional[Decimal]
    output_audio_per_mtok: Optional[Decimal]
    reasoning_per_mtok: Optional[Decimal]
    per_request: Optional[Decimal]
    # USD per one.
    units: Dict[str, Decimal]
    created_at: TimeText



class PriceBook(TypedDict):
    id: str
    activated_at: TimeText



class PriceChangeAlert(TypedDict):
    kind: Literal["price_change"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # How many days a change lasts, and on how many days, the last being today, a model must have calls.
    days: int



class PriceCheckAnswer(TypedDict):
    days: int
    # The catalogue in force.
    catalogue: Catalogue
    # A fetched catalogue that is not in force; null if none is known.
    newer: Optional[Newer]
    # The second source: an installed package.
    source: PriceCheckSource
    # Those with the most calls first.
    models: List[Model]



class PriceCheckRate(TypedDict):
    # A bucket of tokens, in USD per million, or `request`; `_above_…` is the price of larger prompts.
    rate: str
    # In the catalogue in force; null for none.
    listed: Optional[Decimal]
    # In the second source, or in the newer catalogue; null for none.
    other: Optional[Decimal]
    # `other` divided by `listed`; null when either is missing, or `listed` is 0.
    ratio: Optional[Decimal]



class PriceCheckSource(TypedDict):
    name: str
    version: str



class Prices(TypedDict):
    # For prompts that exceed no bound of `tiers`.
    rates: ModelPriceRates
    # Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call.
    tiers: List[Tier]



class PricesAnswer(TypedDict):
    prices: List[Price]
    lists: List[PricesList]



class PricesList(TypedDict):
    list: str
    # The days since its data was published, or fetched.
    age_days: int
    # Whether these are more than 45.
    is_old: bool



class Project(TypedDict):
    id: str
    name: str
    # `revenue` projects have margin, `internal` ones performance.
    type: PostSessionType
    # IANA name. Days and periods of the project are in this timezone.
    timezone: str
    # The new timezone while the days are being rebuilt for it; otherwise null.
    pending_timezone: Optional[str]
    # Percent: a positive margin below it is at risk; null for never.
    at_risk_below_pct: Optional[Decimal]
    # How many days before today events and calls are kept; null for ever. Totals are always kept.
    retention_days: Optional[int]
    # Whether the prompts and answers in OpenTelemetry spans and log records are stored.
    keep_content: bool
    # Whether reports of calls that share no id are joined where process, model, output and time are alike.
    join_alike: bool
    # Tags of calls whose sums are kept as those of features are, so that questions grouped by them are as fast.
    tag_dimensions: List[str]
    # The first day whose events and calls are kept, if earlier days have only totals; otherwise null.
    kept_from: Optional[DayText]
    created_at: TimeText



class ProviderAccountsAnswer(TypedDict):
    accounts: List[Account]



class _ProviderAccountsName(TypedDict):
    by: str
    id: str


class ProviderAccountsName(_ProviderAccountsName, total=False):
    customer: str
    user: str
    feature: str



class PutAlertBody(TypedDict, total=False):
    enabled: Optional[bool]
    # Also fires when the forecast for the end of the period is above the amount of the budget.
    forecast: Optional[bool]
    # How many minutes up to now are added up.
    minutes: Optional[int]
    # USD: a smaller difference from the expected cost is no anomaly.
    least_amount: Optional[Number]
    # How many times the longest silence of the last 28 days a silence must last.
    factor: Optional[Number]
    # USD: this much in these minutes fires whatever is usual; 0 for none.
    amount: Optional[Number]
    # Percent: fires for customers with a lower margin.
    margin_below_pct: Optional[Number]
    # USD: customers that cost less are left out.
    least_cost: Optional[Number]
    # Uses the cost after free AI credits.
    apply_credits: Optional[bool]
    # Fires when a grant runs out or expires within this many days.
    days: Optional[int]
    # Days with fewer calls are not judged.
    least_calls: Optional[int]
    # Percentage points by which a share must be below its usual value.
    drop_points: Optional[Number]
    # A shorter silence never fires.
    least_minutes: Optional[int]



class _PutBudgetBody(TypedDict):
    # USD, with at most 12 fractional digits.
    amount: Union[Number, str]


class PutBudgetBody(_PutBudgetBody, total=False):
    # The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`.
    period: Optional[Period]
    # Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day.
    window: Optional[str]
    # The calls whose cost counts: AND between filters, OR within one. Left out: all calls.
    scope: Optional[PutBudgetScope]
    # Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls.
    each: Optional[Each]
    # Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100.
    thresholds: Optional[Sequence[int]]
    # Counts what credits cover as not spent.
    apply_credits: Optional[bool]



class PutBudgetScope(TypedDict, total=False):
    # Only calls of these customers.
    customers: Optional[Sequence[str]]
    # Only calls of these users.
    users: Optional[Sequence[str]]
    # Only calls with these feature tags.
    features: Optional[Sequence[str]]
    # Only calls of these models.
    models: Optional[Sequence[str]]
    # Only calls of these providers.
    providers: Optional[Sequence[str]]
    # Only calls of customers that carry these tags now.
    customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # The same as `customers` with one name.
    customer: Optional[str]
    # The same as `users` with one name.
    user: Optional[str]
    # The same as `features` with one name.
    feature: Optional[str]
    # The same as `models` with one name.
    model: Optional[str]
    # The same as `providers` with one name.
    provider: Optional[str]



class PutExchangeRatesAnswer(TypedDict):
    ok: Literal[True]
    rates_stored: int



class PutExchangeRatesRates(TypedDict):
    rates: Sequence[Currency]



class _PutKeyMetricBody(TypedDict):
    # The type of the custom events that it reads.
    event_type: str
    # Counts the events, sums the numbers at `field`, or counts the distinct values at `field`.
    aggregation: Aggregation


class PutKeyMetricBody(_PutKeyMetricBody, total=False):
    # JSON Pointer (RFC 6901) into the event; for `sum` and `unique`.
    field: Optional[str]
    # The features whose cost counts, "" for calls without one; left out: all.
    features: Optional[Sequence[str]]
    unit: Optional[str]



class _PutSimulationBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day
    plans: Sequence[PutSimulationPlan]


class PutSimulationBody(_PutSimulationBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # Percent of revenue to reach; default: `at_risk_below_pct` of the project.
    target_margin_pct: Optional[Union[Number, str]]
    # Applies free AI credits to costs.
    apply_credits: Optional[bool]
    # Adds shared costs to `cost`, also as a unit.
    include_shared: Optional[bool]



class _PutSimulationPlan(TypedDict):
    name: str
    # By tags or by names. The first plan that selects a customer has it.
    customers: Customers
    # USD a month; a part of a month counts by its days.
    base_per_month: Union[Number, str]


class PutSimulationPlan(_PutSimulationPlan, total=False):
    # The monthly amount that `overage` does not charge, nor `markup_pct` for `cost`.
    included: Optional[Included]
    overage: Optional[Overage]
    # Charges the cost plus this percentage.
    markup_pct: Optional[Union[Number, str]]



class PutStripeCustomersAnswer(TypedDict):
    ok: Literal[True]
    pairs_stored: int



class PutStripeCustomersBody(TypedDict):
    customers: Sequence[PutStripeCustomersCustomer]



class PutStripeCustomersCustomer(TypedDict):
    # The id of the customer in Stripe.
    stripe_customer: str
    # The customer, as named on its calls.
    customer: str



class _Question(TypedDict):
    date_from: DayText
    plans: List[SimulationPlan]
    apply_credits: bool


class Question(_Question, total=False):
    date_to: DayText
    target_margin_pct: Decimal
    include_shared: bool



class ReconciliationAnswer(TypedDict):
    rows: List[ReconciliationRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _ReconciliationBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class ReconciliationBody(_ReconciliationBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # One row per period; `all` is the whole range.
    aggregate: Optional[Aggregate]
    # One row per value and period.
    group_by: Optional[ReconciliationGroupBy]
    # Maximum rows of a page; default: 100.
    limit: Optional[int]
    # `next_cursor` of the previous page.
    cursor: Optional[str]
    # The id of a close: the computed costs are those of the close, for days up to its `through`. Invoices and prices are the current ones.
    as_of: Optional[str]



class _ReconciliationOverride(TypedDict):
    model: str
    # The first day on which the invoice has this price.
    effective_from: DayText
    # USD per million tokens.
    input_per_mtok: Decimal
    # USD per million tokens.
    output_per_mtok: Decimal


class ReconciliationOverride(_ReconciliationOverride, total=False):
    provider: str
    # The last such day; absent while the price lasts.
    effective_to: DayText
    # USD per million tokens.
    cache_read_per_mtok: Decimal
    # USD per million tokens.
    cache_write_per_mtok: Decimal
    # USD per million tokens.
    input_audio_per_mtok: Decimal
    # USD per million tokens.
    output_audio_per_mtok: Decimal
    # USD per million tokens.
    reasoning_per_mtok: Decimal
    # USD per call.
    per_request: Decimal
    # USD per one of each unit.
    units: Dict[str, Decimal]



class _ReconciliationPart(TypedDict):
    kind: ReconciliationKind
    # USD; what this part adds to the difference. The exact parts add up to it.
    amount: Decimal
    # What it is, in a sentence.
    hint: str


class ReconciliationPart(_ReconciliationPart, total=False):
    # The number of its calls, if known.
    calls: int
    # For a part `price` that one override closes.
    override: ReconciliationOverride



class _ReconciliationRow(TypedDict):
    date_from: DayText
    date_to: DayText
    # USD; the cost of the calls, before free AI credits.
    computed: Decimal
    # USD; the sum of the invoices’ entries.
    invoiced: Decimal
    # USD: `invoiced` less `computed`. Above 0, the invoice is higher.
    difference: Decimal
    # Percent of `computed`; null when that is 0.
    difference_pct: Optional[Decimal]
    # The parts of the difference. Parts of 0 are left out; `price` has one for each model, every other kind has one.
    parts: List[ReconciliationPart]


class ReconciliationRow(_ReconciliationRow, total=False):
    provider: str
    # Empty for amounts without a model on the invoice.
    model: str



class Report(TypedDict):
    event_id: str
    # The name of its instrumentation scope or gateway; `null` for other events and names of several words.
    emitter: Optional[str]
    # The id of the provider's answer, spans inside each other, or likeness (process, model, output, time).
    joined_by: JoinedBy



class Reprice(TypedDict):
    id: str
    # A `done` reprice is in force, unless it is a dry run.
    state: GetProjectRebuildsState
    dry_run: bool
    # Whether it reads the text of the events again.
    reread: bool
    # Whether it has assumptions.
    what_if: bool
    date_from: str
    date_to: str
    # `admin`, or the id of an API key or of a member.
    requested_by: str
    created_at: TimeText
    finished_at: Optional[TimeText]
    failure: Optional[str]
    # USD: the cost of the days by the old prices; null until `done`.
    before: Optional[Decimal]
    # USD: the cost of the days by the new prices; null until `done`.
    after: Optional[Decimal]



class RepriceAnswer(TypedDict):
    id: str
    # A `done` reprice is in force, unless it is a dry run.
    state: GetProjectRebuildsState
    dry_run: bool
    # Whether it reads the text of the events again.
    reread: bool
    # Whether it has assumptions.
    what_if: bool
    date_from: str
    date_to: str
    # `admin`, or the id of an API key or of a member.
    requested_by: str
    created_at: TimeText
    finished_at: Optional[TimeText]
    failure: Optional[str]
    # USD: the cost of the days by the old prices; null until `done`.
    before: Optional[Decimal]
    # USD: the cost of the days by the new prices; null until `done`.
    after: Optional[Decimal]
    # From 0 to 1.
    progress: Decimal
    # Its assumptions, as requested; null without any.
    assume: Optional[RepriceAssume]
    # The calls that would be changed, but keep their current price: an event reports their cost, or something that they used has no known price under the assumptions. Null without assumptions.
    not_changed: Optional[NotChanged]
    # Kinds of tokens, such as `cache_read`, that are priced like a wider kind under the assumptions, because their own price is not known: the 100 rows with the most calls, by the models of the calls. Null without assumptions.
    widened: Optional[List[Widened]]
    # USD earned on these days, of all customers; null until `done`, and unless the project is of type revenue.
    revenue: Optional[Decimal]
    # What changes the cost, step by step: the reading of events, then prices, assumed ones included. Empty until it is `done`.
    by_cause: List[ByCause]
    by_day: List[ByDay]
    # The 1,000 largest differences.
    by_model: List[RepriceByModel]
    other_models: OtherModels
    # The 1,000 largest differences.
    by_customer: List[RepriceByCustomer]
    # The customers that are not listed.
    others: RepriceOthers



class RepriceAssume(TypedDict, total=False):
    models: Dict[str, str]
    overrides: List[RepriceOverride]
    cached_share: Decimal
    service_tier: str



class RepriceByCustomer(TypedDict):
    customer: str
    # USD, gross.
    before: Decimal
    # USD, gross.
    after: Decimal
    # USD earned on these days; null unless the project is of type revenue.
    revenue: Optional[Decimal]
    # `revenue` − `before`.
    margin_before: Optional[Decimal]
    # `revenue` − `after`.
    margin_after: Optional[Decimal]



class RepriceByModel(TypedDict):
    model: str
    # USD, gross.
    before: Decimal
    # USD, gross.
    after: Decimal



class RepriceOthers(TypedDict):
    customers: int
    # USD, gross.
    before: Decimal
    # USD, gross.
    after: Decimal



class RepriceOverride(TypedDict):
    provider: Optional[str]
    model: str
    # That of `terms`.
    service_tier: Optional[str]
    terms: Dict[str, str]
    effective_from: Optional[str]
    effective_to: Optional[str]
    input_per_mtok: Decimal
    output_per_mtok: Decimal
    cache_read_per_mtok: Optional[Decimal]
    cache_write_per_mtok: Optional[Decimal]
    input_audio_per_mtok: Optional[Decimal]
    output_audio_per_mtok: Optional[Decimal]
    reasoning_per_mtok: Optional[Decimal]
    per_request: Optional[Decimal]
    # USD per one.
    units: Dict[str, Decimal]



class RepricesAnswer(TypedDict):
    reprices: List[Reprice]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class RequestLine(TypedDict):
    bucket: Literal["request"]
    requests: Literal[1]
    # USD per call.
    rate_per_request: Decimal
    amount: Decimal
    # Where the unit price comes from.
    source: Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]



class RevenueAnswer(TypedDict):
    rows: List[RevenueRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class RevenueRow(TypedDict):
    external_id: str
    customer: str
    # USD; negative for a refund. Null while its currency has no exchange rate: then it does not count.
    amount: Optional[Decimal]
    # Of `original_amount`; USD for what was posted.
    currency: str
    # In `currency`.
    original_amount: Decimal
    source: RevenueSource
    date_from: DayText
    date_to: DayText
    created_at: TimeText
    updated_at: TimeText



class RevenueWithoutRate(TypedDict):
    currency: str
    # In `currency`.
    amount: Decimal
    entries: int



class RunAnswer(TypedDict):
    rows: List[RunRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool
    run: str
    # The time of its first call.
    first_time: TimeText
    # The time of its last call.
    last_time: TimeText
    calls: int
    failed_calls: int
    # USD, gross: the nearest double of the exact sum.
    cost: Decimal
    # In code-point order, the first 1000.
    features: List[str]
    # In code-point order, the first 1000.
    customers: List[str]



class _RunRow(TypedDict):
    event_id: str
    # 0, or higher when the id was used again for another call.
    ordinal: int
    # The day of the call in the timezone of the project.
    day: DayText
    # The time of the first outcome received for the call.
    time: TimeText
    customer: str
    user: str
    feature: str
    # The run that the call names; without one, the call is its own run.
    run: str
    model: str
    provider: str
    tags: Dict[str, str]
    failed: bool
    # Whether its answer was not read to the end, according to an event.
    aborted: bool
    elapsed_ms: Optional[Decimal]
    # USD, gross.
    cost: Decimal
    # Where the cost comes from. `further_list`: a public price list that nobody reviewed; `none`: the call failed or is free, and reports no usage; `unpriced`: its model has no price, or nobody reports its usage; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called.
    cost_source: CostSource
    # Why the call has no price; null when it has one.
    unpriced_reason: Optional[str]
    # The units and terms without a known price: the cost is that of all else. Empty if there are none.
    partly_priced: List[str]
    # Token counts by bucket; each token is in exactly one.
    tokens: Tokens
    # What the provider charges for besides tokens, by unit; only units that were used.
    units: Dict[str, Decimal]
    # What changes the rates of the call; only terms that its events name.
    terms: Dict[str, str]


class RunRow(_RunRow, total=False):
    # USD, after free AI credits; only with `apply_credits`.
    net_cost: Decimal



class RunawayAlert(TypedDict):
    kind: Literal["runaway"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # How many minutes up to now are added up.
    minutes: int
    # USD: less in these minutes never fires.
    least_amount: Decimal
    # How many times the usual amount must be spent.
    factor: Decimal
    # USD: this much in these minutes fires whatever is usual; 0 for none.
    amount: Decimal



class SetAsideId(TypedDict):
    event_id: str
    since: TimeText



class SharedCost(TypedDict):
    external_id: str
    name: str
    # USD: of its days in the range.
    amount: Decimal
    # USD: of the days without calls in its scope; null if only deleted calls could tell.
    unallocated: Optional[Decimal]
    unallocated_days: Optional[int]



class SharedCostAllocationAnswer(TypedDict):
    shared_costs: List[SharedCost]



class SharedCostsAnswer(TypedDict):
    rows: List[SharedCostsRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class SharedCostsRow(TypedDict):
    external_id: str
    name: str
    # USD.
    amount: Decimal
    date_from: DayText
    date_to: DayText
    allocate_by: AllocateBy
    scope: SharedCostsScope
    created_at: TimeText
    updated_at: TimeText



class SharedCostsScope(TypedDict, total=False):
    providers: List[str]
    models: List[str]
    features: List[str]
    tags: Dict[str, List[str]]



class SimulateAnswer(TypedDict):
    date_from: DayText
    date_to: DayText
    target_margin_pct: Optional[Decimal]
    # In the order of the question.
    plans: List[SimulatePlan]
    # Customers that no plan selects, who pay what they paid.
    others: SimulateOthers
    # All customers.
    total: Total



class _SimulateBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day
    plans: Sequence[PutSimulationPlan]


class SimulateBody(_SimulateBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # Percent of revenue to reach; default: `at_risk_below_pct` of the project.
    target_margin_pct: Optional[Union[Number, str]]
    # Applies free AI credits to costs.
    apply_credits: Optional[bool]
    # Adds shared costs to `cost`, also as a unit.
    include_shared: Optional[bool]
    # Maximum customers of each plan.
    limit: Optional[int]



class _SimulateOthers(TypedDict):
    customers: int
    # USD: what was earned.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # USD: `revenue` − `cost`.
    margin: Decimal


class SimulateOthers(_SimulateOthers, total=False):
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class _SimulatePlan(TypedDict):
    name: str
    # Customers of the plan with a call or revenue in the range.
    customers: int
    # USD: what was earned.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # USD: `revenue` − `cost`.
    margin: Decimal
    # USD: what the plan would have earned.
    simulated_revenue: Decimal
    # USD: `simulated_revenue` − `cost`.
    simulated_margin: Decimal
    # 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.
    margin_pct: Decimal
    # The same of the simulated revenue and margin.
    simulated_margin_pct: Decimal
    # USD: the part of `simulated_revenue` that the base earns; usage earns the rest.
    simulated_base: Decimal
    # Customers that would pay more than they did.
    pay_more: int
    pay_less: int
    # Customers that cost more than they paid.
    below_zero: int
    # Customers that would still cost more than they pay.
    simulated_below_zero: int
    # The base at which the plan reaches the target margin, all else unchanged.
    target_base: TargetBase
    # The included amount at which the plan reaches the target margin, all else unchanged.
    target_included: TargetIncluded
    # The customers whose revenue would change most, at most `limit`.
    rows: List[SimulateRow]
    # How many customers `rows` leaves out.
    other_customers: int


class SimulatePlan(_SimulatePlan, total=False):
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class _SimulateRow(TypedDict):
    customer: str
    # USD: what was earned.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # USD: `revenue` − `cost`.
    margin: Decimal
    # USD: what the plan would have earned.
    simulated_revenue: Decimal
    # USD: `simulated_revenue` − `cost`.
    simulated_margin: Decimal


class SimulateRow(_SimulateRow, total=False):
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class Simulation(TypedDict):
    name: str
    created_at: TimeText
    updated_at: TimeText



class SimulationAnswer(TypedDict):
    name: str
    # A body of `POST /api/plans/simulate/`.
    question: Question
    created_at: TimeText
    updated_at: TimeText



class SimulationCustomers(TypedDict, total=False):
    customer_tags: Dict[str, List[str]]
    names: List[str]



class SimulationIncluded(TypedDict):
    unit: str
    amount: Decimal



class SimulationOverage(TypedDict):
    unit: str
    price: Decimal



class _SimulationPlan(TypedDict):
    name: str
    customers: SimulationCustomers
    base_per_month: Decimal


class SimulationPlan(_SimulationPlan, total=False):
    included: SimulationIncluded
    overage: SimulationOverage
    markup_pct: Decimal



class SimulationsAnswer(TypedDict):
    simulations: List[Simulation]



class SkippedMetricValue(TypedDict):
    key_metric: str
    events: int



class StripeAnswer(TypedDict):
    hooks: List[Hook]
    # Credit notes and refunded charges without a known invoice, which do not count.
    unlinked: Unlinked



class StripeCustomersAnswer(TypedDict):
    customers: List[StripeCustomersCustomer]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class StripeCustomersCustomer(TypedDict):
    # The id of the customer in Stripe.
    stripe_customer: str
    # The customer, as named on its calls.
    customer: str



class SupplementSource(TypedDict):
    kind: Literal["supplement"]
    # The page that supports a price of a unit or a term, which the catalogue package lacks.
    page: str
    # The day on which the page was read.
    checked_on: str



class Switched(TypedDict):
    at: TimeText
    # `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.
    to: Mode
    calls_made: int
    calls_withdrawn: int
    done: bool



class Tag(TypedDict):
    key: str
    # How many calls, customers or users have the tag.
    count: int
    # The most frequent first, at most 50. If calls have more than 10000 values of a key, the counts are estimates, and never too large.
    values: List[TagsValue]
    has_more_values: bool



class TagsAnswer(TypedDict):
    tags: List[Tag]



class TagsValue(TypedDict):
    value: str
    count: int



class TargetBase(TypedDict):
    # USD.
    base_per_month: Optional[Decimal]
    # Why there is none.
    reason: Optional[TargetBaseReason]



class TargetIncluded(TypedDict):
    unit: Optional[str]
    amount: Optional[Decimal]
    # Why there is none.
    reason: Optional[TargetIncludedReason]



class Term(TypedDict):
    name: ModelPriceName
    # As the call names it.
    value: str
    # The factor on the list price. Null: the term has its own price, or acts together with the term before it.
    factor: Optional[Decimal]
    # Where the unit price comes from.
    source: Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]



class TermPrice(TypedDict):
    # The values of the terms to which it applies.
    when: Dict[str, List[str]]
    # The factor on the list price; null with `prices`.
    factor: Optional[Decimal]
    # Rates that replace the list price.
    prices: Optional[Prices]
    # Where the unit price comes from.
    source: Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]



class Tier(TypedDict):
    above_input_tokens: int
    rates: ModelPriceRates



class Tokens(TypedDict):
    input: int
    cache_read: int
    cache_write: int
    cache_write_1h: int
    input_audio: int
    cache_read_audio: int
    input_image: int
    cache_read_image: int
    input_video: int
    output: int
    reasoning: int
    output_audio: int
    output_image: int
    output_video: int



class _TokensLine(TypedDict):
    bucket: Bucket
    tokens: int
    # USD per million tokens.
    rate_per_mtok: Decimal
    # USD: tokens × rate, rounded half-even at 12 digits.
    amount: Decimal
    # Where the unit price comes from.
    source: Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]


class TokensLine(_TokensLine, total=False):
    # The terms of the call that changed the rate; absent when none did.
    terms: List[Term]
    # The kind of token whose rate this is, because its own is not known; absent where it is.
    rate_of: Bucket
    # The model that used the tokens, such as an advisor or a tool's; absent for the call's own model.
    model: str



class _Total(TypedDict):
    # USD: what was earned.
    revenue: Decimal
    # USD; less free AI credits when `apply_credits` is true.
    cost: Decimal
    # USD: `revenue` − `cost`.
    margin: Decimal
    # USD: what the plan would have earned.
    simulated_revenue: Decimal
    # USD: `simulated_revenue` − `cost`.
    simulated_margin: Decimal
    # 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.
    margin_pct: Decimal
    # The same of the simulated revenue and margin.
    simulated_margin_pct: Decimal


class Total(_Total, total=False):
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class _Totals(TypedDict):
    cost: Decimal
    revenue: Decimal
    credits: Decimal


class Totals(_Totals, total=False):
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class UnitLine(TypedDict):
    unit: UnitUnit
    count: Decimal
    # USD per one.
    rate_per_unit: Decimal
    # USD: count × rate, rounded half-even at 12 digits.
    amount: Decimal
    # Where the unit price comes from.
    source: Union[OverrideSource, CatalogueSource, FurtherListSource, SupplementSource]



class Unlinked(TypedDict):
    credit_notes: int
    refunds: int



class UnmappedRevenue(TypedDict):
    stripe_customer: str
    # USD; the nearest double of the exact sum.
    amount: Decimal
    entries: int



class Unpriced(TypedDict):
    model: str
    provider: str
    reason: str
    calls: int



class UnpricedModelAlert(TypedDict):
    kind: Literal["unpriced_model"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # How many days to look at, the last being today.
    days: int
    # Fires at this many calls without a price.
    least_calls: int



class Unprofitable(TypedDict):
    count: int
    # Customers with a margin below 0, the lowest first; at most five, and none without revenue.
    customers: List[PreviewCustomer]



class UnprofitableCustomerAlert(TypedDict):
    kind: Literal["unprofitable_customer"]
    enabled: bool
    # Only causes from this time on fire.
    since: TimeText
    # The number of open firings.
    open: int
    # Percent: fires for customers with a lower margin.
    margin_below_pct: Decimal
    # USD: customers that cost less are left out.
    least_cost: Decimal
    # Uses the cost after free AI credits.
    apply_credits: bool



class UsageAnswer(TypedDict):
    rows: List[UsageRow]
    # Asks for the next page, as `cursor`; null when there is none.
    next_cursor: Optional[str]
    has_more: bool



class _UsageRow(TypedDict):
    date_from: DayText
    date_to: DayText
    calls: int
    # Calls that failed.
    errors: int
    # Calls that cost 0 because they have no price or report no usage.
    unpriced_calls: int
    # Calls with a unit or term without a known price.
    partly_priced_calls: int
    # Tokens by bucket; each token is in exactly one.
    tokens: Tokens
    # What the provider charges for besides tokens, by unit; only units that were used.
    units: Dict[str, Decimal]
    # Total milliseconds of the calls that report their duration.
    elapsed_ms_sum: Decimal
    # The longest duration in milliseconds; 0 when no call reports one.
    elapsed_ms_max: Decimal


class UsageRow(_UsageRow, total=False):
    customer: str
    feature: str
    model: str
    provider: str
    # Empty where there is no such tag.
    tag: str
    # USD: what the row has of the shared costs.
    shared_cost: Decimal



class User(TypedDict):
    # The name of the user, as on calls and events.
    user_name: str
    # A string sets the tag, null deletes it.
    tags: Mapping[str, Optional[str]]



class WasteAnswer(TypedDict):
    # USD: the gross cost of the selected calls.
    total_cost: Decimal
    # The selected calls.
    calls: int
    # USD: the sum of the exact amounts, without upper bounds.
    wasted: Decimal
    # USD: the sum of all amounts, upper bounds included; at most `total_cost`.
    wasted_at_most: Decimal
    # The share of `wasted` in `total_cost`, from 0 to 1; 0 when nothing was spent.
    share: Decimal
    # Every cause in a fixed order. A call counts under the first cause that applies. `dearer_model` only with `alternatives`.
    rows: List[WasteRow]



class _WasteBody(TypedDict):
    # First day, in the timezone of the project.
    date_from: Day


class WasteBody(_WasteBody, total=False):
    # Last day, inclusive; default: today.
    date_to: Optional[Day]
    # Only these customers.
    customers: Optional[Sequence[str]]
    # Only these feature tags.
    features: Optional[Sequence[str]]
    # Only these models.
    models: Optional[Sequence[str]]
    # Only these providers.
    providers: Optional[Sequence[str]]
    # Only customers with these tags now; "" for those without the tag.
    customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # Only runs with these tags, with all their calls.
    run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]]
    # For each model, a cheaper one that might do, for the cause `dearer_model`.
    alternatives: Optional[Mapping[str, str]]
    # The id of a close: answers as of then.
    as_of: Optional[str]



class WasteRow(TypedDict):
    cause: Waste
    # `upper`: what was wasted is at most the amount.
    bound: Bound
    # The filter `waste` of `POST /api/calls/` lists them.
    calls: int
    # USD; the nearest double of the exact sum.
    amount: Decimal
    # The share of `total_cost`, from 0 to 1; 0 when nothing was spent.
    share: Decimal
    # What the cause counts, in one sentence.
    definition: str



class Widened(TypedDict):
    model: str
    kinds: List[AssumedRate]
    calls: int

PutAlertAnswer = Union[BudgetAlert, RunawayAlert, AnomalyAlert, UnprofitableCustomerAlert, UnpricedModelAlert, PriceChangeAlert, CoverageDropAlert, CreditEndingAlert, NoEventsAlert]
PutExchangeRatesBody = Union[Currency, PutExchangeRatesRates]
ProjectAnswer = Project
PostPricesAnswer = Price
PostRepriceAnswer = PostProjectRebuildsAnswer
KeyMetricAnswer = KeyMetric
PutKeyMetricAnswer = KeyMetric
PostSharedCostsAnswer = PostInvoicesAnswer
PostProviderAccountsAnswer = Account
PatchProviderAccountAnswer = Account
PostProviderAccountReadAnswer = Account
PostStripeAnswer = Hook
PatchStripeAnswer = Hook
NotificationEndpointAnswer = Endpoint
PatchNotificationEndpointAnswer = Endpoint
CallAnswer = Union[Ordinal, CallPlain]
PutSimulationAnswer = SimulationAnswer
UsersAnswer = CustomersAnswer
ProvidersAnswer = FeaturesAnswer
PostBudgetsAnswer = Budget
PutBudgetAnswer = Budget
PostClosesAnswer = Close
CloseAnswer = Close

class FarthingApi(Client):
    """Typed questions to Farthing: a method for each route that takes an API key and answers JSON."""

    def project(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> ProjectAnswer:
        """The project of the key: `GET /api/project/`."""
        answer: ProjectAnswer = self._ask(("GET", "/api/project/"), ProjectAnswer, None, {}, consistency)
        return answer

    def audit(
        self,
        *,
        actor: Optional[Actor] = UNSET,
        actor_id: Optional[str] = UNSET,
        who: Optional[str] = UNSET,
        kind: Optional[AuditKind] = UNSET,
        subject: Optional[str] = UNSET,
        from_: Optional[Time] = UNSET,
        to: Optional[Time] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> AuditAnswer:
        """Who changed what, newest first: `GET /api/audit/`.

        - `actor`: Only changes by this kind of actor.
        - `actor_id`: Only changes by this API key, member, Stripe webhook or job.
        - `who`: Only changes by the actor with this id or name, or of this kind, such as `admin_token`.
        - `kind`: Only changes of this kind of subject.
        - `subject`: Only changes of the subject with this id, name or e-mail address.
        - `from_`: Only changes from this time on.
        - `to`: Only changes before this time.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: AuditAnswer = self._ask(("GET", "/api/audit/"), AuditAnswer, None, {"actor": actor, "actor_id": actor_id, "who": who, "kind": kind, "subject": subject, "from": from_, "to": to, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def prices(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> PricesAnswer:
        """The price overrides in force: `GET /api/prices/`."""
        answer: PricesAnswer = self._ask(("GET", "/api/prices/"), PricesAnswer, None, {}, consistency)
        return answer

    def post_prices(
        self,
        *,
        model: str,
        input_per_mtok: Union[Number, str],
        output_per_mtok: Union[Number, str],
        provider: Optional[str] = UNSET,
        service_tier: Optional[str] = UNSET,
        terms: Optional[Mapping[str, str]] = UNSET,
        effective_from: Optional[Day] = UNSET,
        effective_to: Optional[Day] = UNSET,
        cache_read_per_mtok: Optional[Union[Number, str]] = UNSET,
        cache_write_per_mtok: Optional[Union[Number, str]] = UNSET,
        input_audio_per_mtok: Optional[Union[Number, str]] = UNSET,
        output_audio_per_mtok: Optional[Union[Number, str]] = UNSET,
        reasoning_per_mtok: Optional[Union[Number, str]] = UNSET,
        per_request: Optional[Union[Number, str]] = UNSET,
        units: Optional[Mapping[str, Union[Number, str]]] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostPricesAnswer:
        """Add a price override: `POST /api/prices/`.

        - `model`: The name of a model, or a prefix of names when it ends in *.
        - `input_per_mtok`: USD per million tokens.
        - `provider`: Matches without regard to case. Default: every provider.
        - `service_tier`: The same as `terms.service_tier`.
        - `terms`: Only calls that name these terms, in upper or lower case.
        - `effective_from`: First day, inclusive, in the timezone of the project.
        - `effective_to`: Last day, inclusive.
        - `per_request`: USD per call.
        - `units`: USD per one of each unit. Default: the list price. The price of requests is `per_request`.
        """
        answer: PostPricesAnswer = self._ask(("POST", "/api/prices/"), PostPricesAnswer, {"provider": provider, "model": model, "service_tier": service_tier, "terms": terms, "effective_from": effective_from, "effective_to": effective_to, "input_per_mtok": input_per_mtok, "output_per_mtok": output_per_mtok, "cache_read_per_mtok": cache_read_per_mtok, "cache_write_per_mtok": cache_write_per_mtok, "input_audio_per_mtok": input_audio_per_mtok, "output_audio_per_mtok": output_audio_per_mtok, "reasoning_per_mtok": reasoning_per_mtok, "per_request": per_request, "units": units}, {}, consistency)
        return answer

    def delete_price(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a price override: `DELETE /api/prices/{id}/`."""
        self._ask(("DELETE", f"/api/prices/{step(id)}/"), None, None, {}, consistency)

    def model_price(
        self,
        name: str,
        *,
        provider: Optional[str] = UNSET,
        service_tier: Optional[str] = UNSET,
        speed: Optional[str] = UNSET,
        geo: Optional[str] = UNSET,
        cache_ttl: Optional[str] = UNSET,
        size: Optional[str] = UNSET,
        quality: Optional[str] = UNSET,
        search_context_size: Optional[str] = UNSET,
        at: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> ModelPriceAnswer:
        """The price of a model, and where it comes from: `GET /api/models/{name}/price/`.

        - `provider`: Default: the maker of the model.
        - `service_tier`: A term of the call. Default: none.
        - `speed`: A term of the call. Default: none.
        - `geo`: A term of the call. Default: none.
        - `cache_ttl`: A term of the call. Default: none.
        - `size`: A term of the call. Default: none.
        - `quality`: A term of the call. Default: none.
        - `search_context_size`: A term of the call. Default: none.
        - `at`: The time of the call; a day is its first instant. Default: now.
        """
        answer: ModelPriceAnswer = self._ask(("GET", f"/api/models/{step(name)}/price/"), ModelPriceAnswer, None, {"provider": provider, "service_tier": service_tier, "speed": speed, "geo": geo, "cache_ttl": cache_ttl, "size": size, "quality": quality, "search_context_size": search_context_size, "at": at}, consistency)
        return answer

    def post_reprice(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        dry_run: Optional[bool] = UNSET,
        reread: Optional[bool] = UNSET,
        assume: Optional[PostRepriceAssume] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostRepriceAnswer:
        """Price past days by current prices, or by assumed ones: `POST /api/prices/reprice/`.

        - `date_from`: First day, inclusive, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `dry_run`: If true, only the difference is reported; false puts the new numbers in force.
        - `reread`: True also reads the stored text of the events of these days again, as this release understands usage, units and terms.
        - `assume`: Makes it a what-if: what would these days have cost? Always a dry run, for which the scope `read` is enough.
        """
        answer: PostRepriceAnswer = self._ask(("POST", "/api/prices/reprice/"), PostRepriceAnswer, {"date_from": date_from, "date_to": date_to, "dry_run": dry_run, "reread": reread, "assume": assume}, {}, consistency)
        return answer

    def reprices(
        self,
        *,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> RepricesAnswer:
        """The log of reprices, newest first: `GET /api/prices/reprices/`.

        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: RepricesAnswer = self._ask(("GET", "/api/prices/reprices/"), RepricesAnswer, None, {"limit": limit, "cursor": cursor}, consistency)
        return answer

    def reprice(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> RepriceAnswer:
        """A reprice: its progress, and what it changes by cause, day, model and customer: `GET /api/prices/reprices/{id}/`."""
        answer: RepriceAnswer = self._ask(("GET", f"/api/prices/reprices/{step(id)}/"), RepriceAnswer, None, {}, consistency)
        return answer

    def post_customer_tags(
        self,
        *,
        customers: Sequence[PostCustomerTagsCustomer],
        upsert: Optional[bool] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostCustomerTagsAnswer:
        """Set and delete tags of customers: `POST /api/customer-tags/`.

        - `upsert`: True overwrites tags that exist; otherwise such a tag is a conflict (409).
        """
        answer: PostCustomerTagsAnswer = self._ask(("POST", "/api/customer-tags/"), PostCustomerTagsAnswer, {"customers": customers, "upsert": upsert}, {}, consistency)
        return answer

    def post_user_tags(
        self,
        *,
        users: Sequence[User],
        upsert: Optional[bool] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostUserTagsAnswer:
        """Set and delete tags of users: `POST /api/user-tags/`.

        - `upsert`: True overwrites tags that exist; otherwise such a tag is a conflict (409).
        """
        answer: PostUserTagsAnswer = self._ask(("POST", "/api/user-tags/"), PostUserTagsAnswer, {"users": users, "upsert": upsert}, {}, consistency)
        return answer

    def key_metrics(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> KeyMetricsAnswer:
        """The key metrics of the project: `GET /api/key-metrics/`."""
        answer: KeyMetricsAnswer = self._ask(("GET", "/api/key-metrics/"), KeyMetricsAnswer, None, {}, consistency)
        return answer

    def key_metric(
        self,
        name: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> KeyMetricAnswer:
        """One key metric: `GET /api/key-metrics/{name}/`."""
        answer: KeyMetricAnswer = self._ask(("GET", f"/api/key-metrics/{step(name)}/"), KeyMetricAnswer, None, {}, consistency)
        return answer

    def put_key_metric(
        self,
        name: str,
        *,
        event_type: str,
        aggregation: Aggregation,
        field: Optional[str] = UNSET,
        features: Optional[Sequence[str]] = UNSET,
        unit: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PutKeyMetricAnswer:
        """Make or replace a key metric: `PUT /api/key-metrics/{name}/`.

        - `event_type`: The type of the custom events that it reads.
        - `aggregation`: Counts the events, sums the numbers at `field`, or counts the distinct values at `field`.
        - `field`: JSON Pointer (RFC 6901) into the event; for `sum` and `unique`.
        - `features`: The features whose cost counts, "" for calls without one; left out: all.
        """
        answer: PutKeyMetricAnswer = self._ask(("PUT", f"/api/key-metrics/{step(name)}/"), PutKeyMetricAnswer, {"event_type": event_type, "aggregation": aggregation, "field": field, "features": features, "unit": unit}, {}, consistency)
        return answer

    def delete_key_metric(
        self,
        name: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a key metric: `DELETE /api/key-metrics/{name}/`."""
        self._ask(("DELETE", f"/api/key-metrics/{step(name)}/"), None, None, {}, consistency)

    def revenue(
        self,
        *,
        customer: Optional[str] = UNSET,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[RevenueRow, RevenueAnswer]:
        """The revenue entries: `GET /api/revenue/`.

        - `customer`: Only the entries of this customer.
        - `date_from`: Only entries with a day on or after this one.
        - `date_to`: Only entries with a day on or before this one.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[RevenueRow, RevenueAnswer] = self._pages(("GET", "/api/revenue/"), RevenueAnswer, None, {"customer": customer, "date_from": date_from, "date_to": date_to, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def post_revenue(
        self,
        *,
        entries: Sequence[PostRevenueEntry],
        consistency: Optional[Consistency] = None,
    ) -> PostRevenueAnswer:
        """Add and replace revenue entries: `POST /api/revenue/`."""
        answer: PostRevenueAnswer = self._ask(("POST", "/api/revenue/"), PostRevenueAnswer, {"entries": entries}, {}, consistency)
        return answer

    def delete_revenue(
        self,
        external_id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a revenue entry: `DELETE /api/revenue/{external_id}/`."""
        self._ask(("DELETE", f"/api/revenue/{step(external_id)}/"), None, None, {}, consistency)

    def invoices(
        self,
        *,
        provider: Optional[str] = UNSET,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[InvoicesRow, InvoicesAnswer]:
        """The entries of invoices: `GET /api/invoices/`.

        - `provider`: Only entries of this provider, as stored.
        - `date_from`: Only entries with a day on or after this one.
        - `date_to`: Only entries with a day on or before this one.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[InvoicesRow, InvoicesAnswer] = self._pages(("GET", "/api/invoices/"), InvoicesAnswer, None, {"provider": provider, "date_from": date_from, "date_to": date_to, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def post_invoices(
        self,
        *,
        entries: Sequence[PostInvoicesEntry],
        consistency: Optional[Consistency] = None,
    ) -> PostInvoicesAnswer:
        """Add and replace entries of invoices: `POST /api/invoices/`."""
        answer: PostInvoicesAnswer = self._ask(("POST", "/api/invoices/"), PostInvoicesAnswer, {"entries": entries}, {}, consistency)
        return answer

    def delete_invoices(
        self,
        *,
        provider: str,
        date_from: Day,
        date_to: Day,
        consistency: Optional[Consistency] = None,
    ) -> DeleteInvoicesAnswer:
        """Delete the invoices of a provider in a range of days: `DELETE /api/invoices/`.

        - `provider`: The provider, as named on its calls; upper and lower case are the same.
        - `date_from`: First day.
        - `date_to`: Last day. Entries with a day before or after these are kept.
        """
        answer: DeleteInvoicesAnswer = self._ask(("DELETE", "/api/invoices/"), DeleteInvoicesAnswer, None, {"provider": provider, "date_from": date_from, "date_to": date_to}, consistency)
        return answer

    def delete_invoice(
        self,
        external_id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete an entry of an invoice: `DELETE /api/invoices/{external_id}/`."""
        self._ask(("DELETE", f"/api/invoices/{step(external_id)}/"), None, None, {}, consistency)

    def shared_costs(
        self,
        *,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[SharedCostsRow, SharedCostsAnswer]:
        """The shared costs: `GET /api/shared-costs/`.

        - `date_from`: Only entries with a day on or after this one.
        - `date_to`: Only entries with a day on or before this one.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[SharedCostsRow, SharedCostsAnswer] = self._pages(("GET", "/api/shared-costs/"), SharedCostsAnswer, None, {"date_from": date_from, "date_to": date_to, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def post_shared_costs(
        self,
        *,
        entries: Sequence[PostSharedCostsEntry],
        consistency: Optional[Consistency] = None,
    ) -> PostSharedCostsAnswer:
        """Add and replace shared costs: `POST /api/shared-costs/`."""
        answer: PostSharedCostsAnswer = self._ask(("POST", "/api/shared-costs/"), PostSharedCostsAnswer, {"entries": entries}, {}, consistency)
        return answer

    def delete_shared_cost(
        self,
        external_id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a shared cost: `DELETE /api/shared-costs/{external_id}/`."""
        self._ask(("DELETE", f"/api/shared-costs/{step(external_id)}/"), None, None, {}, consistency)

    def provider_accounts(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> ProviderAccountsAnswer:
        """The provider accounts: `GET /api/provider-accounts/`."""
        answer: ProviderAccountsAnswer = self._ask(("GET", "/api/provider-accounts/"), ProviderAccountsAnswer, None, {}, consistency)
        return answer

    def post_provider_accounts(
        self,
        *,
        kind: ProviderAccountsKind,
        key: str,
        since: Optional[Day] = UNSET,
        mode: Optional[Mode] = UNSET,
        names: Optional[Sequence[PatchProviderAccountName]] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostProviderAccountsAnswer:
        """Set up a provider account: `POST /api/provider-accounts/`.

        - `key`: An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again.
        - `since`: The first day to read; default: 30 days ago. OpenRouter keeps 30 days.
        - `mode`: `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.
        - `names`: Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace.
        """
        answer: PostProviderAccountsAnswer = self._ask(("POST", "/api/provider-accounts/"), PostProviderAccountsAnswer, {"kind": kind, "key": key, "since": since, "mode": mode, "names": names}, {}, consistency)
        return answer

    def patch_provider_account(
        self,
        id: str,
        *,
        key: Optional[str] = UNSET,
        mode: Optional[Mode] = UNSET,
        names: Optional[Sequence[PatchProviderAccountName]] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PatchProviderAccountAnswer:
        """Change a provider account: `PATCH /api/provider-accounts/{id}/`.

        - `key`: An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again.
        - `mode`: `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.
        - `names`: Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace.
        """
        answer: PatchProviderAccountAnswer = self._ask(("PATCH", f"/api/provider-accounts/{step(id)}/"), PatchProviderAccountAnswer, {"key": key, "mode": mode, "names": names}, {}, consistency)
        return answer

    def delete_provider_account(
        self,
        id: str,
        *,
        keep: Optional[Keep] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a provider account: `DELETE /api/provider-accounts/{id}/`.

        - `keep`: `true` keeps its entries and calls; an account that is set up again brings them a second time.
        """
        self._ask(("DELETE", f"/api/provider-accounts/{step(id)}/"), None, None, {"keep": keep}, consistency)

    def post_provider_account_read(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> PostProviderAccountReadAnswer:
        """Read a provider account now: `POST /api/provider-accounts/{id}/read/`."""
        answer: PostProviderAccountReadAnswer = self._ask(("POST", f"/api/provider-accounts/{step(id)}/read/"), PostProviderAccountReadAnswer, None, {}, consistency)
        return answer

    def stripe(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> StripeAnswer:
        """The hooks of Stripe: `GET /api/stripe/`."""
        answer: StripeAnswer = self._ask(("GET", "/api/stripe/"), StripeAnswer, None, {}, consistency)
        return answer

    def post_stripe(
        self,
        *,
        signing_secret: str,
        customer_key: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostStripeAnswer:
        """Make a hook for Stripe: `POST /api/stripe/`.

        - `signing_secret`: The signing secret that Stripe shows for the endpoint.
        - `customer_key`: The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none.
        """
        answer: PostStripeAnswer = self._ask(("POST", "/api/stripe/"), PostStripeAnswer, {"signing_secret": signing_secret, "customer_key": customer_key}, {}, consistency)
        return answer

    def patch_stripe(
        self,
        id: str,
        *,
        signing_secret: Optional[str] = UNSET,
        customer_key: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PatchStripeAnswer:
        """Change a hook of Stripe: `PATCH /api/stripe/{id}/`.

        - `signing_secret`: The signing secret that Stripe shows for the endpoint.
        - `customer_key`: The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none.
        """
        answer: PatchStripeAnswer = self._ask(("PATCH", f"/api/stripe/{step(id)}/"), PatchStripeAnswer, {"signing_secret": signing_secret, "customer_key": customer_key}, {}, consistency)
        return answer

    def delete_stripe(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a hook of Stripe: `DELETE /api/stripe/{id}/`."""
        self._ask(("DELETE", f"/api/stripe/{step(id)}/"), None, None, {}, consistency)

    def stripe_customers(
        self,
        *,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> StripeCustomersAnswer:
        """The customers of Stripe customers: `GET /api/stripe/customers/`.

        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: StripeCustomersAnswer = self._ask(("GET", "/api/stripe/customers/"), StripeCustomersAnswer, None, {"limit": limit, "cursor": cursor}, consistency)
        return answer

    def put_stripe_customers(
        self,
        *,
        customers: Sequence[PutStripeCustomersCustomer],
        consistency: Optional[Consistency] = None,
    ) -> PutStripeCustomersAnswer:
        """Set the customers of Stripe customers: `PUT /api/stripe/customers/`."""
        answer: PutStripeCustomersAnswer = self._ask(("PUT", "/api/stripe/customers/"), PutStripeCustomersAnswer, {"customers": customers}, {}, consistency)
        return answer

    def delete_stripe_customer(
        self,
        stripe_customer: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete the customer of a Stripe customer: `DELETE /api/stripe/customers/{stripe_customer}/`."""
        self._ask(("DELETE", f"/api/stripe/customers/{step(stripe_customer)}/"), None, None, {}, consistency)

    def post_stripe_objects(
        self,
        *,
        objects: Sequence[Any],
        read_at: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostStripeObjectsAnswer:
        """Import objects of Stripe: `POST /api/stripe/objects/`.

        - `objects`: Objects of Stripe as its API returns them, such as invoices, or its events.
        - `read_at`: When the objects were read, in seconds since 1970. States of them before that do not count. Default: the latest time that each object names.
        """
        answer: PostStripeObjectsAnswer = self._ask(("POST", "/api/stripe/objects/"), PostStripeObjectsAnswer, {"objects": objects, "read_at": read_at}, {}, consistency)
        return answer

    def exchange_rates(
        self,
        *,
        currency: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> ExchangeRatesAnswer:
        """The exchange rates: `GET /api/exchange-rates/`.

        - `currency`: Only the rates of this currency.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: ExchangeRatesAnswer = self._ask(("GET", "/api/exchange-rates/"), ExchangeRatesAnswer, None, {"currency": currency, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def put_exchange_rates(
        self,
        body: PutExchangeRatesBody,
        *,
        consistency: Optional[Consistency] = None,
    ) -> PutExchangeRatesAnswer:
        """Set exchange rates: `PUT /api/exchange-rates/`."""
        answer: PutExchangeRatesAnswer = self._ask(("PUT", "/api/exchange-rates/"), PutExchangeRatesAnswer, body, {}, consistency)
        return answer

    def delete_exchange_rate(
        self,
        currency: str,
        day: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete an exchange rate: `DELETE /api/exchange-rates/{currency}/{day}/`."""
        self._ask(("DELETE", f"/api/exchange-rates/{step(currency)}/{step(day)}/"), None, None, {}, consistency)

    def notification_endpoints(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> NotificationEndpointsAnswer:
        """The endpoints of notifications: `GET /api/notification-endpoints/`."""
        answer: NotificationEndpointsAnswer = self._ask(("GET", "/api/notification-endpoints/"), NotificationEndpointsAnswer, None, {}, consistency)
        return answer

    def post_notification_endpoints(
        self,
        *,
        kind: NotificationEndpointsKind,
        url: Optional[str] = UNSET,
        address: Optional[str] = UNSET,
        alerts: Optional[Sequence[Alert]] = UNSET,
        enabled: Optional[bool] = UNSET,
        digest: Optional[NotificationEndpointsDigest] = UNSET,
        digest_day: Optional[int] = UNSET,
        digest_hour: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostNotificationEndpointsAnswer:
        """Make an endpoint: `POST /api/notification-endpoints/`.

        - `kind`: `webhook` is signed by Standard Webhooks, `slack` is an incoming webhook of Slack.
        - `url`: For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`.
        - `address`: For `email`.
        - `alerts`: The kinds of alerts that it gets; null for all. Empty for digests alone.
        - `digest`: How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
        - `digest_day`: The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1.
        - `digest_hour`: The hour at which it is sent, in the timezone of the project; default: 8.
        """
        answer: PostNotificationEndpointsAnswer = self._ask(("POST", "/api/notification-endpoints/"), PostNotificationEndpointsAnswer, {"kind": kind, "url": url, "address": address, "alerts": alerts, "enabled": enabled, "digest": digest, "digest_day": digest_day, "digest_hour": digest_hour}, {}, consistency)
        return answer

    def notification_endpoint(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> NotificationEndpointAnswer:
        """One endpoint: `GET /api/notification-endpoints/{id}/`."""
        answer: NotificationEndpointAnswer = self._ask(("GET", f"/api/notification-endpoints/{step(id)}/"), NotificationEndpointAnswer, None, {}, consistency)
        return answer

    def patch_notification_endpoint(
        self,
        id: str,
        *,
        url: Optional[str] = UNSET,
        address: Optional[str] = UNSET,
        alerts: Optional[Sequence[Alert]] = UNSET,
        enabled: Optional[bool] = UNSET,
        digest: Optional[NotificationEndpointsDigest] = UNSET,
        digest_day: Optional[int] = UNSET,
        digest_hour: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PatchNotificationEndpointAnswer:
        """Change an endpoint: `PATCH /api/notification-endpoints/{id}/`.

        - `url`: For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`.
        - `address`: For `email`.
        - `alerts`: The kinds of alerts that it gets; null for all. Empty for digests alone.
        - `digest`: How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`.
        - `digest_day`: The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1.
        - `digest_hour`: The hour at which it is sent, in the timezone of the project; default: 8.
        """
        answer: PatchNotificationEndpointAnswer = self._ask(("PATCH", f"/api/notification-endpoints/{step(id)}/"), PatchNotificationEndpointAnswer, {"url": url, "address": address, "alerts": alerts, "enabled": enabled, "digest": digest, "digest_day": digest_day, "digest_hour": digest_hour}, {}, consistency)
        return answer

    def delete_notification_endpoint(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete an endpoint: `DELETE /api/notification-endpoints/{id}/`."""
        self._ask(("DELETE", f"/api/notification-endpoints/{step(id)}/"), None, None, {}, consistency)

    def notification_endpoint_attempts(
        self,
        id: str,
        *,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> NotificationEndpointAttemptsAnswer:
        """The attempts to send to an endpoint: `GET /api/notification-endpoints/{id}/attempts/`.

        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: NotificationEndpointAttemptsAnswer = self._ask(("GET", f"/api/notification-endpoints/{step(id)}/attempts/"), NotificationEndpointAttemptsAnswer, None, {"limit": limit, "cursor": cursor}, consistency)
        return answer

    def post_notification_endpoint_test(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> PostNotificationEndpointTestAnswer:
        """Test an endpoint: `POST /api/notification-endpoints/{id}/test/`."""
        answer: PostNotificationEndpointTestAnswer = self._ask(("POST", f"/api/notification-endpoints/{step(id)}/test/"), PostNotificationEndpointTestAnswer, None, {}, consistency)
        return answer

    def post_notification_endpoint_rotate_secret(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> PostNotificationEndpointRotateSecretAnswer:
        """Give a webhook a new secret: `POST /api/notification-endpoints/{id}/rotate-secret/`."""
        answer: PostNotificationEndpointRotateSecretAnswer = self._ask(("POST", f"/api/notification-endpoints/{step(id)}/rotate-secret/"), PostNotificationEndpointRotateSecretAnswer, None, {}, consistency)
        return answer

    def costs(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        aggregate: Optional[Aggregate] = UNSET,
        group_by: Optional[Union[CostsGroupBy, str]] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        features: Optional[Sequence[str]] = UNSET,
        models: Optional[Sequence[str]] = UNSET,
        providers: Optional[Sequence[str]] = UNSET,
        customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        as_of: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[CostsRow, CostsAnswer]:
        """Costs by period, and by customer, feature, model or provider: `POST /api/costs/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `aggregate`: One row per period; `all` is the whole range.
        - `group_by`: Rows by a dimension, or a tag of calls (`tag:env`), or a tag of customers (`customer_tag:plan`).
        - `customers`: Only these customers.
        - `features`: Only these feature tags.
        - `models`: Only these models.
        - `providers`: Only these providers.
        - `customer_tags`: Only customers with these tags now; "" for those without the tag.
        - `run_tags`: Only runs with these tags, with all their calls.
        - `apply_credits`: Applies free AI credits to `cost` only.
        - `include_shared`: Adds shared costs to `cost`.
        - `as_of`: The id of a close: answers as of then.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[CostsRow, CostsAnswer] = self._pages(("POST", "/api/costs/"), CostsAnswer, {"date_from": date_from, "date_to": date_to, "aggregate": aggregate, "group_by": group_by, "customers": customers, "features": features, "models": models, "providers": providers, "customer_tags": customer_tags, "run_tags": run_tags, "apply_credits": apply_credits, "include_shared": include_shared, "as_of": as_of, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def calls(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        row: Optional[CallsFileRow] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        features: Optional[Sequence[str]] = UNSET,
        models: Optional[Sequence[str]] = UNSET,
        providers: Optional[Sequence[str]] = UNSET,
        customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        event_ids: Optional[Sequence[str]] = UNSET,
        waste: Optional[Sequence[Waste]] = UNSET,
        alternatives: Optional[Mapping[str, str]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        order: Optional[CallsOrder] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[RunRow, CallsAnswer]:
        """The calls behind a row: `POST /api/calls/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `row`: Only the calls of this row: its days and, if the answer has groups, its value. Default: all calls.
        - `customers`: Only these customers.
        - `features`: Only these feature tags.
        - `models`: Only these models.
        - `providers`: Only these providers.
        - `customer_tags`: Only customers with these tags now; "" for those without the tag.
        - `run_tags`: Only runs with these tags, with all their calls.
        - `event_ids`: Only the calls with these ids, at most 1,000.
        - `waste`: Only the calls that `POST /api/waste/` counts by one of these causes, judged over the dates of the body.
        - `alternatives`: For each model, a cheaper one that might do, for the cause `dearer_model`.
        - `apply_credits`: Adds `net_cost`: the cost after free AI credits.
        - `order`: Which calls come first: by time, by gross cost, by the sum of their tokens, or by duration.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[RunRow, CallsAnswer] = self._pages(("POST", "/api/calls/"), CallsAnswer, {"date_from": date_from, "date_to": date_to, "row": row, "customers": customers, "features": features, "models": models, "providers": providers, "customer_tags": customer_tags, "run_tags": run_tags, "event_ids": event_ids, "waste": waste, "alternatives": alternatives, "apply_credits": apply_credits, "order": order, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def call(
        self,
        event_id: str,
        *,
        ordinal: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> CallAnswer:
        """One call, how its cost was computed, and its events: `GET /api/calls/{event_id}/`.

        - `ordinal`: Which call of the id; default: the latest.
        """
        answer: CallAnswer = self._ask(("GET", f"/api/calls/{step(event_id)}/"), CallAnswer, None, {"ordinal": ordinal}, consistency)
        return answer

    def run(
        self,
        run: str,
        *,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[RunRow, RunAnswer]:
        """One run with its calls: `GET /api/runs/{run}/`.

        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[RunRow, RunAnswer] = self._pages(("GET", f"/api/runs/{step(run)}/"), RunAnswer, None, {"limit": limit, "cursor": cursor}, consistency)
        return answer

    def margin(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        aggregate: Optional[Aggregate] = UNSET,
        group_by: Optional[Union[Literal["customer"], str]] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        filter_customers_based_on_features: Optional[Sequence[str]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        as_of: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[MarginRow, MarginAnswer]:
        """Revenue, cost and margin by period, and by customer: `POST /api/margin/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `aggregate`: One row per period; `all` is the whole range.
        - `group_by`: Rows by a dimension, or a tag of customers (`customer_tag:plan`).
        - `customers`: Only these customers.
        - `filter_customers_based_on_features`: Keeps only customers with a call of one of these features in the row's period, with all their cost and revenue.
        - `apply_credits`: Applies free AI credits to `cost`.
        - `include_shared`: Adds shared costs to `cost`.
        - `as_of`: The id of a close: answers as of then.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[MarginRow, MarginAnswer] = self._pages(("POST", "/api/margin/"), MarginAnswer, {"date_from": date_from, "date_to": date_to, "aggregate": aggregate, "group_by": group_by, "customers": customers, "filter_customers_based_on_features": filter_customers_based_on_features, "apply_credits": apply_credits, "include_shared": include_shared, "as_of": as_of, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def plans(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        aggregate: Optional[Aggregate] = UNSET,
        plan_tag: Optional[str] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        filter_customers_based_on_features: Optional[Sequence[str]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        target_margin_pct: Optional[Union[Number, str]] = UNSET,
        as_of: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[PlansRow, PlansAnswer]:
        """How plans pay: revenue, cost and margin by plan and period, and how cost is spread over customers: `POST /api/plans/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `aggregate`: One row per period; `all` is the whole range.
        - `plan_tag`: The tag of customers whose values are the plans.
        - `customers`: Only these customers.
        - `filter_customers_based_on_features`: Only customers with a call of one of these features in the row's period.
        - `apply_credits`: Applies free AI credits to costs.
        - `include_shared`: Adds shared costs to `cost`.
        - `target_margin_pct`: Percent of revenue to reach; default: `at_risk_below_pct` of the project.
        - `as_of`: The id of a close: answers as of then.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[PlansRow, PlansAnswer] = self._pages(("POST", "/api/plans/"), PlansAnswer, {"date_from": date_from, "date_to": date_to, "aggregate": aggregate, "plan_tag": plan_tag, "customers": customers, "filter_customers_based_on_features": filter_customers_based_on_features, "apply_credits": apply_credits, "include_shared": include_shared, "target_margin_pct": target_margin_pct, "as_of": as_of, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def simulate(
        self,
        *,
        date_from: Day,
        plans: Sequence[PutSimulationPlan],
        date_to: Optional[Day] = UNSET,
        target_margin_pct: Optional[Union[Number, str]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        limit: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> SimulateAnswer:
        """What other plans would have earned over past days, by plan and customer: `POST /api/plans/simulate/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `target_margin_pct`: Percent of revenue to reach; default: `at_risk_below_pct` of the project.
        - `apply_credits`: Applies free AI credits to costs.
        - `include_shared`: Adds shared costs to `cost`, also as a unit.
        - `limit`: Maximum customers of each plan.
        """
        answer: SimulateAnswer = self._ask(("POST", "/api/plans/simulate/"), SimulateAnswer, {"date_from": date_from, "date_to": date_to, "plans": plans, "target_margin_pct": target_margin_pct, "apply_credits": apply_credits, "include_shared": include_shared, "limit": limit}, {}, consistency)
        return answer

    def simulations(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> SimulationsAnswer:
        """The saved simulations of the project: `GET /api/plans/simulations/`."""
        answer: SimulationsAnswer = self._ask(("GET", "/api/plans/simulations/"), SimulationsAnswer, None, {}, consistency)
        return answer

    def simulation(
        self,
        name: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> SimulationAnswer:
        """One saved simulation: `GET /api/plans/simulations/{name}/`."""
        answer: SimulationAnswer = self._ask(("GET", f"/api/plans/simulations/{step(name)}/"), SimulationAnswer, None, {}, consistency)
        return answer

    def put_simulation(
        self,
        name: str,
        *,
        date_from: Day,
        plans: Sequence[PutSimulationPlan],
        date_to: Optional[Day] = UNSET,
        target_margin_pct: Optional[Union[Number, str]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PutSimulationAnswer:
        """Save a simulation under a name: `PUT /api/plans/simulations/{name}/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `target_margin_pct`: Percent of revenue to reach; default: `at_risk_below_pct` of the project.
        - `apply_credits`: Applies free AI credits to costs.
        - `include_shared`: Adds shared costs to `cost`, also as a unit.
        """
        answer: PutSimulationAnswer = self._ask(("PUT", f"/api/plans/simulations/{step(name)}/"), PutSimulationAnswer, {"date_from": date_from, "date_to": date_to, "plans": plans, "target_margin_pct": target_margin_pct, "apply_credits": apply_credits, "include_shared": include_shared}, {}, consistency)
        return answer

    def delete_simulation(
        self,
        name: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a saved simulation: `DELETE /api/plans/simulations/{name}/`."""
        self._ask(("DELETE", f"/api/plans/simulations/{step(name)}/"), None, None, {}, consistency)

    def credit_cliff(
        self,
        *,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> CreditCliffAnswer:
        """The margins when free credits end: `GET /api/credit-cliff/`.

        - `date_from`: First day; default: the 28 days up to date_to.
        - `date_to`: Last day; default: yesterday in the timezone of the project.
        """
        answer: CreditCliffAnswer = self._ask(("GET", "/api/credit-cliff/"), CreditCliffAnswer, None, {"date_from": date_from, "date_to": date_to}, consistency)
        return answer

    def performance(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        aggregate: Optional[Aggregate] = UNSET,
        group_by: Optional[Union[Literal["user"], str]] = UNSET,
        users: Optional[Sequence[str]] = UNSET,
        filter_users_based_on_features: Optional[Sequence[str]] = UNSET,
        user_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        as_of: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[PerformanceRow, PerformanceAnswer]:
        """Costs and key metrics by period, and by user: `POST /api/performance/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `aggregate`: One row per period; `all` is the whole range.
        - `group_by`: Rows by a dimension, or a tag of users (`user_tag:team`).
        - `users`: Only these users.
        - `filter_users_based_on_features`: Keeps only users that used any of these feature tags in the period; rows of other users are removed.
        - `user_tags`: Only users with these tags now.
        - `apply_credits`: Applies free AI credits to costs.
        - `include_shared`: Adds shared costs to `cost`.
        - `as_of`: The id of a close: answers as of then.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[PerformanceRow, PerformanceAnswer] = self._pages(("POST", "/api/performance/"), PerformanceAnswer, {"date_from": date_from, "date_to": date_to, "aggregate": aggregate, "group_by": group_by, "users": users, "filter_users_based_on_features": filter_users_based_on_features, "user_tags": user_tags, "apply_credits": apply_credits, "include_shared": include_shared, "as_of": as_of, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def usage(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        aggregate: Optional[Aggregate] = UNSET,
        group_by: Optional[Union[CostsGroupBy, str]] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        features: Optional[Sequence[str]] = UNSET,
        models: Optional[Sequence[str]] = UNSET,
        providers: Optional[Sequence[str]] = UNSET,
        customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        include_shared: Optional[bool] = UNSET,
        as_of: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[UsageRow, UsageAnswer]:
        """Calls, errors, tokens, units and times by period, and by customer, feature, model or provider: `POST /api/usage/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `aggregate`: One row per period; `all` is the whole range.
        - `group_by`: Rows by a dimension, or a tag of calls (`tag:env`), or a tag of customers (`customer_tag:plan`).
        - `customers`: Only these customers.
        - `features`: Only these feature tags.
        - `models`: Only these models.
        - `providers`: Only these providers.
        - `customer_tags`: Only customers with these tags now; "" for those without the tag.
        - `run_tags`: Only runs with these tags, with all their calls.
        - `apply_credits`: Applies free AI credits to `cost` only.
        - `include_shared`: Adds shared costs to `cost`.
        - `as_of`: The id of a close: answers as of then.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[UsageRow, UsageAnswer] = self._pages(("POST", "/api/usage/"), UsageAnswer, {"date_from": date_from, "date_to": date_to, "aggregate": aggregate, "group_by": group_by, "customers": customers, "features": features, "models": models, "providers": providers, "customer_tags": customer_tags, "run_tags": run_tags, "apply_credits": apply_credits, "include_shared": include_shared, "as_of": as_of, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def changes(
        self,
        *,
        date_from: Day,
        date_to: Day,
        before_from: Optional[Day] = UNSET,
        before_to: Optional[Day] = UNSET,
        group_by: Optional[str] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        features: Optional[Sequence[str]] = UNSET,
        models: Optional[Sequence[str]] = UNSET,
        providers: Optional[Sequence[str]] = UNSET,
        customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        limit: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> ChangesAnswer:
        """Why the cost changed between two ranges: `POST /api/changes/`.

        - `date_from`: First day of the range, inclusive, in the timezone of the project.
        - `date_to`: Last day of the range, inclusive.
        - `before_from`: First day to compare with; default: for as many days.
        - `before_to`: Last day to compare with; default: the day before `date_from`.
        - `group_by`: Adds `by_tag`: by a tag of calls (`tag:env`), or of customers (`customer_tag:plan`).
        - `customers`: Only these customers.
        - `features`: Only these feature tags.
        - `models`: Only these models.
        - `providers`: Only these providers.
        - `customer_tags`: Only customers with these tags now; "" for those without the tag.
        - `run_tags`: Only runs with these tags, with all their calls.
        - `apply_credits`: Compares costs after free AI credits.
        - `limit`: Maximum number of rows in a list.
        """
        answer: ChangesAnswer = self._ask(("POST", "/api/changes/"), ChangesAnswer, {"date_from": date_from, "date_to": date_to, "before_from": before_from, "before_to": before_to, "group_by": group_by, "customers": customers, "features": features, "models": models, "providers": providers, "customer_tags": customer_tags, "run_tags": run_tags, "apply_credits": apply_credits, "limit": limit}, {}, consistency)
        return answer

    def waste(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        customers: Optional[Sequence[str]] = UNSET,
        features: Optional[Sequence[str]] = UNSET,
        models: Optional[Sequence[str]] = UNSET,
        providers: Optional[Sequence[str]] = UNSET,
        customer_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        run_tags: Optional[Mapping[str, Union[str, Sequence[str]]]] = UNSET,
        alternatives: Optional[Mapping[str, str]] = UNSET,
        as_of: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> WasteAnswer:
        """Money spent for nothing, by cause: `POST /api/waste/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `customers`: Only these customers.
        - `features`: Only these feature tags.
        - `models`: Only these models.
        - `providers`: Only these providers.
        - `customer_tags`: Only customers with these tags now; "" for those without the tag.
        - `run_tags`: Only runs with these tags, with all their calls.
        - `alternatives`: For each model, a cheaper one that might do, for the cause `dearer_model`.
        - `as_of`: The id of a close: answers as of then.
        """
        answer: WasteAnswer = self._ask(("POST", "/api/waste/"), WasteAnswer, {"date_from": date_from, "date_to": date_to, "customers": customers, "features": features, "models": models, "providers": providers, "customer_tags": customer_tags, "run_tags": run_tags, "alternatives": alternatives, "as_of": as_of}, {}, consistency)
        return answer

    def reconciliation(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        aggregate: Optional[Aggregate] = UNSET,
        group_by: Optional[ReconciliationGroupBy] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        as_of: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[ReconciliationRow, ReconciliationAnswer]:
        """Why the invoices of providers differ from the computed costs: `POST /api/reconciliation/`.

        - `date_from`: First day, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `aggregate`: One row per period; `all` is the whole range.
        - `group_by`: One row per value and period.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        - `as_of`: The id of a close: the computed costs are those of the close, for days up to its `through`. Invoices and prices are the current ones.
        """
        answer: Pages[ReconciliationRow, ReconciliationAnswer] = self._pages(("POST", "/api/reconciliation/"), ReconciliationAnswer, {"date_from": date_from, "date_to": date_to, "aggregate": aggregate, "group_by": group_by, "limit": limit, "cursor": cursor, "as_of": as_of}, {}, consistency)
        return answer

    def coverage(
        self,
        *,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> CoverageAnswer:
        """How much is priced and attributed, and what is missing: `GET /api/coverage/`.

        - `date_from`: First day, inclusive, in the timezone of the project. Default: the 30 days up to date_to, or only those whose calls are kept.
        - `date_to`: Last day, inclusive; default: today.
        """
        answer: CoverageAnswer = self._ask(("GET", "/api/coverage/"), CoverageAnswer, None, {"date_from": date_from, "date_to": date_to}, consistency)
        return answer

    def customers(
        self,
        *,
        search: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[CustomersRow, CustomersAnswer]:
        """The customers to filter by: `GET /api/customers/`.

        - `search`: Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[CustomersRow, CustomersAnswer] = self._pages(("GET", "/api/customers/"), CustomersAnswer, None, {"search": search, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def users(
        self,
        *,
        search: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[CustomersRow, UsersAnswer]:
        """The users to filter by: `GET /api/users/`.

        - `search`: Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[CustomersRow, UsersAnswer] = self._pages(("GET", "/api/users/"), UsersAnswer, None, {"search": search, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def features(
        self,
        *,
        search: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[FeaturesRow, FeaturesAnswer]:
        """The features to filter by: `GET /api/features/`.

        - `search`: Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[FeaturesRow, FeaturesAnswer] = self._pages(("GET", "/api/features/"), FeaturesAnswer, None, {"search": search, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def models(
        self,
        *,
        search: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[ModelsRow, ModelsAnswer]:
        """The models to filter by: `GET /api/models/`.

        - `search`: Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[ModelsRow, ModelsAnswer] = self._pages(("GET", "/api/models/"), ModelsAnswer, None, {"search": search, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def providers(
        self,
        *,
        search: Optional[str] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[FeaturesRow, ProvidersAnswer]:
        """The providers to filter by: `GET /api/providers/`.

        - `search`: Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[FeaturesRow, ProvidersAnswer] = self._pages(("GET", "/api/providers/"), ProvidersAnswer, None, {"search": search, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def tags(
        self,
        *,
        kind: TagsKind,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> TagsAnswer:
        """The tags of calls, customers or users, with their most frequent values: `GET /api/tags/`.

        - `kind`: Of calls, or carried now by customers or users.
        - `date_from`: First day of the calls; default: the last 30 days.
        - `date_to`: Last day of the calls; default: today.
        """
        answer: TagsAnswer = self._ask(("GET", "/api/tags/"), TagsAnswer, None, {"kind": kind, "date_from": date_from, "date_to": date_to}, consistency)
        return answer

    def price_check(
        self,
        *,
        days: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PriceCheckAnswer:
        """List prices that differ in a second list or a newer catalogue: `GET /api/price-check/`.

        - `days`: How many days, the last being today, whose calls are counted.
        """
        answer: PriceCheckAnswer = self._ask(("GET", "/api/price-check/"), PriceCheckAnswer, None, {"days": days}, consistency)
        return answer

    def events(
        self,
        *,
        event_id: Optional[str] = UNSET,
        event_type: Optional[str] = UNSET,
        customer: Optional[str] = UNSET,
        from_: Optional[Time] = UNSET,
        to: Optional[Time] = UNSET,
        order: Optional[EventsOrder] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[CallEvent, EventsAnswer]:
        """Events as received: `GET /api/events/`.

        - `event_id`: Only events of this id.
        - `event_type`: Only events of exactly this type.
        - `customer`: Only events that name this customer or belong to a call of this customer. Empty: only events that name no customer and belong to no call of a customer.
        - `from_`: Only events received at this instant (RFC 3339) or later.
        - `to`: Only events received before this instant (RFC 3339).
        - `order`: Which events come first, by time of receipt.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[CallEvent, EventsAnswer] = self._pages(("GET", "/api/events/"), EventsAnswer, None, {"event_id": event_id, "event_type": event_type, "customer": customer, "from": from_, "to": to, "order": order, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def budgets(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> BudgetsAnswer:
        """The budgets of the project: `GET /api/budgets/`."""
        answer: BudgetsAnswer = self._ask(("GET", "/api/budgets/"), BudgetsAnswer, None, {}, consistency)
        return answer

    def post_budgets(
        self,
        *,
        name: str,
        amount: Union[Number, str],
        period: Optional[Period] = UNSET,
        window: Optional[str] = UNSET,
        scope: Optional[PutBudgetScope] = UNSET,
        each: Optional[Each] = UNSET,
        thresholds: Optional[Sequence[int]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostBudgetsAnswer:
        """Make a budget: `POST /api/budgets/`.

        - `name`: 1 to 128 characters, unique in the project.
        - `amount`: USD, with at most 12 fractional digits.
        - `period`: The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`.
        - `window`: Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day.
        - `scope`: The calls whose cost counts: AND between filters, OR within one. Left out: all calls.
        - `each`: Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls.
        - `thresholds`: Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100.
        - `apply_credits`: Counts what credits cover as not spent.
        """
        answer: PostBudgetsAnswer = self._ask(("POST", "/api/budgets/"), PostBudgetsAnswer, {"name": name, "amount": amount, "period": period, "window": window, "scope": scope, "each": each, "thresholds": thresholds, "apply_credits": apply_credits}, {}, consistency)
        return answer

    def put_budget(
        self,
        name: str,
        *,
        amount: Union[Number, str],
        period: Optional[Period] = UNSET,
        window: Optional[str] = UNSET,
        scope: Optional[PutBudgetScope] = UNSET,
        each: Optional[Each] = UNSET,
        thresholds: Optional[Sequence[int]] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PutBudgetAnswer:
        """Make or replace a budget: `PUT /api/budgets/{name}/`.

        - `amount`: USD, with at most 12 fractional digits.
        - `period`: The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`.
        - `window`: Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day.
        - `scope`: The calls whose cost counts: AND between filters, OR within one. Left out: all calls.
        - `each`: Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls.
        - `thresholds`: Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100.
        - `apply_credits`: Counts what credits cover as not spent.
        """
        answer: PutBudgetAnswer = self._ask(("PUT", f"/api/budgets/{step(name)}/"), PutBudgetAnswer, {"amount": amount, "period": period, "window": window, "scope": scope, "each": each, "thresholds": thresholds, "apply_credits": apply_credits}, {}, consistency)
        return answer

    def delete_budget(
        self,
        name: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a budget: `DELETE /api/budgets/{name}/`."""
        self._ask(("DELETE", f"/api/budgets/{step(name)}/"), None, None, {}, consistency)

    def budget(
        self,
        name: str,
        *,
        of: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> BudgetAnswer:
        """A budget, with what is spent in the current period: `GET /api/budgets/{name}/`.

        - `of`: One customer, user, feature or run, for a budget with `each`. One that was never seen has spent 0.
        """
        answer: BudgetAnswer = self._ask(("GET", f"/api/budgets/{step(name)}/"), BudgetAnswer, None, {"of": of}, consistency)
        return answer

    def budget_check(
        self,
        name: str,
        *,
        of: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> BudgetCheckAnswer:
        """Whether more may be spent: `GET /api/budgets/{name}/check/`.

        - `of`: One customer, user, feature or run, for a budget with `each`. One that was never seen has spent 0.
        """
        answer: BudgetCheckAnswer = self._ask(("GET", f"/api/budgets/{step(name)}/check/"), BudgetCheckAnswer, None, {"of": of}, consistency)
        return answer

    def credit_grants(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> CreditGrantsAnswer:
        """The credit grants, with the amounts used and left: `GET /api/credit-grants/`."""
        answer: CreditGrantsAnswer = self._ask(("GET", "/api/credit-grants/"), CreditGrantsAnswer, None, {}, consistency)
        return answer

    def post_credit_grants(
        self,
        *,
        provider: str,
        amount: Union[Number, str],
        starts_on: Day,
        models: Optional[Sequence[str]] = UNSET,
        expires_on: Optional[Day] = UNSET,
        priority: Optional[int] = UNSET,
        name: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostCreditGrantsAnswer:
        """Add a credit grant: `POST /api/credit-grants/`.

        - `provider`: Not case-sensitive.
        - `amount`: USD, with at most 12 fractional digits.
        - `starts_on`: First day, inclusive, in the timezone of the project.
        - `models`: Names of models; one that ends in * matches every model that starts with it. Left out: every model of the provider.
        - `expires_on`: Last day, inclusive; left out: it never expires.
        - `priority`: Of the grants that are valid on a day, the one with the lowest number is used first.
        - `name`: A label for people; it has no effect.
        """
        answer: PostCreditGrantsAnswer = self._ask(("POST", "/api/credit-grants/"), PostCreditGrantsAnswer, {"provider": provider, "models": models, "amount": amount, "starts_on": starts_on, "expires_on": expires_on, "priority": priority, "name": name}, {}, consistency)
        return answer

    def delete_credit_grant(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete a credit grant: `DELETE /api/credit-grants/{id}/`."""
        self._ask(("DELETE", f"/api/credit-grants/{step(id)}/"), None, None, {}, consistency)

    def shared_cost_allocation(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        as_of: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> SharedCostAllocationAnswer:
        """Shared costs without calls to share them: `GET /api/shared-cost-allocation/`.

        - `date_from`: First day, inclusive, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `as_of`: The id of a close: answers as of then.
        """
        answer: SharedCostAllocationAnswer = self._ask(("GET", "/api/shared-cost-allocation/"), SharedCostAllocationAnswer, None, {"date_from": date_from, "date_to": date_to, "as_of": as_of}, consistency)
        return answer

    def alerts(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> AlertsAnswer:
        """The kinds of alerts, with their settings and open firings: `GET /api/alerts/`."""
        answer: AlertsAnswer = self._ask(("GET", "/api/alerts/"), AlertsAnswer, None, {}, consistency)
        return answer

    def put_alert(
        self,
        kind: str,
        *,
        enabled: Optional[bool] = UNSET,
        forecast: Optional[bool] = UNSET,
        minutes: Optional[int] = UNSET,
        least_amount: Optional[Number] = UNSET,
        factor: Optional[Number] = UNSET,
        amount: Optional[Number] = UNSET,
        margin_below_pct: Optional[Number] = UNSET,
        least_cost: Optional[Number] = UNSET,
        apply_credits: Optional[bool] = UNSET,
        days: Optional[int] = UNSET,
        least_calls: Optional[int] = UNSET,
        drop_points: Optional[Number] = UNSET,
        least_minutes: Optional[int] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PutAlertAnswer:
        """Change the settings of an alert, or turn it on or off: `PUT /api/alerts/{kind}/`.

        - `forecast`: Also fires when the forecast for the end of the period is above the amount of the budget.
        - `minutes`: How many minutes up to now are added up.
        - `least_amount`: USD: a smaller difference from the expected cost is no anomaly.
        - `factor`: How many times the longest silence of the last 28 days a silence must last.
        - `amount`: USD: this much in these minutes fires whatever is usual; 0 for none.
        - `margin_below_pct`: Percent: fires for customers with a lower margin.
        - `least_cost`: USD: customers that cost less are left out.
        - `apply_credits`: Uses the cost after free AI credits.
        - `days`: Fires when a grant runs out or expires within this many days.
        - `least_calls`: Days with fewer calls are not judged.
        - `drop_points`: Percentage points by which a share must be below its usual value.
        - `least_minutes`: A shorter silence never fires.
        """
        answer: PutAlertAnswer = self._ask(("PUT", f"/api/alerts/{step(kind)}/"), PutAlertAnswer, {"enabled": enabled, "forecast": forecast, "minutes": minutes, "least_amount": least_amount, "factor": factor, "amount": amount, "margin_below_pct": margin_below_pct, "least_cost": least_cost, "apply_credits": apply_credits, "days": days, "least_calls": least_calls, "drop_points": drop_points, "least_minutes": least_minutes}, {}, consistency)
        return answer

    def firings(
        self,
        *,
        kind: Optional[Alert] = UNSET,
        state: Optional[FiringsState] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> FiringsAnswer:
        """The firings of alerts, newest first: `GET /api/alerts/firings/`.

        - `kind`: Only firings of this kind.
        - `state`: Only firings whose cause lasts, or has ended.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: FiringsAnswer = self._ask(("GET", "/api/alerts/firings/"), FiringsAnswer, None, {"kind": kind, "state": state, "limit": limit, "cursor": cursor}, consistency)
        return answer

    def next_steps(
        self,
        *,
        consistency: Optional[Consistency] = None,
    ) -> NextStepsAnswer:
        """What is worth doing next: `GET /api/next-steps/`."""
        answer: NextStepsAnswer = self._ask(("GET", "/api/next-steps/"), NextStepsAnswer, None, {}, consistency)
        return answer

    def preview(
        self,
        *,
        every: NotificationEndpointsDigest,
        on: Optional[Day] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PreviewAnswer:
        """Show a digest: `POST /api/digests/preview/`.

        - `on`: The day on which it would be sent; default: today in the timezone of the project.
        """
        answer: PreviewAnswer = self._ask(("POST", "/api/digests/preview/"), PreviewAnswer, {"every": every, "on": on}, {}, consistency)
        return answer

    def closes(
        self,
        *,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> ClosesAnswer:
        """The closes, newest first: `GET /api/closes/`.

        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: ClosesAnswer = self._ask(("GET", "/api/closes/"), ClosesAnswer, None, {"limit": limit, "cursor": cursor}, consistency)
        return answer

    def post_closes(
        self,
        *,
        through: Day,
        note: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> PostClosesAnswer:
        """Close all days up to one: `POST /api/closes/`.

        - `through`: The last day to close, before today in the timezone of the project and after the latest close.
        - `note`: For people: what it was closed for.
        """
        answer: PostClosesAnswer = self._ask(("POST", "/api/closes/"), PostClosesAnswer, {"through": through, "note": note}, {}, consistency)
        return answer

    def close(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> CloseAnswer:
        """One close: `GET /api/closes/{id}/`."""
        answer: CloseAnswer = self._ask(("GET", f"/api/closes/{step(id)}/"), CloseAnswer, None, {}, consistency)
        return answer

    def delete_close(
        self,
        id: str,
        *,
        consistency: Optional[Consistency] = None,
    ) -> None:
        """Delete the latest close: `DELETE /api/closes/{id}/`."""
        self._ask(("DELETE", f"/api/closes/{step(id)}/"), None, None, {}, consistency)

    def close_drift(
        self,
        id: str,
        *,
        date_from: Optional[Day] = UNSET,
        date_to: Optional[Day] = UNSET,
        group_by: Optional[CloseDriftGroupBy] = UNSET,
        include_shared: Optional[bool] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[CloseDriftRow, CloseDriftAnswer]:
        """What has changed since a close: `POST /api/closes/{id}/drift/`.

        - `date_from`: First day, inclusive; default: the first day of the close.
        - `date_to`: Last day, inclusive; default: the last day of the close.
        - `group_by`: Subtotals over all days instead of a row for each day.
        - `include_shared`: Adds `shared_cost`.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[CloseDriftRow, CloseDriftAnswer] = self._pages(("POST", f"/api/closes/{step(id)}/drift/"), CloseDriftAnswer, {"date_from": date_from, "date_to": date_to, "group_by": group_by, "include_shared": include_shared, "limit": limit, "cursor": cursor}, {}, consistency)
        return answer

    def focus(
        self,
        *,
        date_from: Day,
        date_to: Optional[Day] = UNSET,
        as_of: Optional[str] = UNSET,
        include_shared: Optional[Keep] = UNSET,
        version: Optional[Version] = UNSET,
        limit: Optional[int] = UNSET,
        cursor: Optional[str] = UNSET,
        consistency: Optional[Consistency] = None,
    ) -> Pages[FocusRow, FocusAnswer]:
        """Costs and usage as rows of FOCUS: `GET /api/exports/focus/`.

        - `date_from`: First day, inclusive, in the timezone of the project.
        - `date_to`: Last day, inclusive; default: today.
        - `as_of`: The id of a close: answers as of then.
        - `include_shared`: Adds shared costs.
        - `version`: Of FOCUS; default: 1.4.
        - `limit`: Maximum rows of a page; default: 100.
        - `cursor`: `next_cursor` of the previous page.
        """
        answer: Pages[FocusRow, FocusAnswer] = self._pages(("GET", "/api/exports/focus/"), FocusAnswer, None, {"date_from": date_from, "date_to": date_to, "as_of": as_of, "include_shared": include_shared, "version": version, "limit": limit, "cursor": cursor}, consistency)
        return answer
