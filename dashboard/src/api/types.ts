// The answers of the API, in the API's names, as its OpenAPI document has them.
import type * as api from '../../../packages/sdk/src/api/routes.ts';
import type { WatchedDimension } from '../../../src/lib/dimensions.ts';
import type * as admin from './admin.ts';

type RowOf<Answer extends { readonly rows: readonly unknown[] }> = Answer['rows'][number];

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

export type Dimension = api.CostsGroupBy;
export type Granularity = NonNullable<api.CostsBody['aggregate']>;

export type Session = admin.GetSessionAnswer;
/** Whom a one-time link signs in. */
export type InvitedLink = admin.PostLinkAnswer;
export type LinkBody = admin.PostLinkBody;
export type Project = admin.GetProjectsAnswer['projects'][number];
export type Client = admin.GetProjectClientsAnswer['clients'][number];
export type Member = admin.GetMembersAnswer['members'][number];
export type Role = Member['roles'][number]['role'];
/** A member after an invitation or a change, with the one-time link if there is one. */
export type InvitedMember = admin.PostMembersAnswer;
export type NewMember = admin.PostMembersBody;
export type MembersQuery = admin.GetMembersQuery;
export type Invitation = NonNullable<InvitedMember['invitation']>;
export type ApiKey = admin.GetProjectApiKeysAnswer['api_keys'][number];

export type CostRow = RowOf<api.CostsAnswer>;
export type UsageRow = RowOf<api.UsageAnswer>;
export type MarginRow = RowOf<api.MarginAnswer>;
export type RiskStatus = MarginRow['risk_status'];
export type PerformanceRow = RowOf<api.PerformanceAnswer>;
export type KeyMetric = api.KeyMetricsAnswer['key_metrics'][number];
/** A row of the list of customers, users, features, models or providers. */
export type ListRow = RowOf<api.FeaturesAnswer> &
  Partial<Omit<RowOf<api.CustomersAnswer> & RowOf<api.ModelsAnswer>, keyof RowOf<api.FeaturesAnswer>>>;
export type Coverage = api.CoverageAnswer;
export type UnmappedRevenue = NonNullable<Coverage['unmapped_revenue']>[number];
export type RevenueWithoutRate = NonNullable<Coverage['revenue_without_rate']>[number];

/** Costs in two ranges, and their difference by cause. */
export type Changes = api.ChangesAnswer;
export type Cause = keyof Changes['parts'];
export type ChangedAmounts = Pick<Changes, 'cost_before' | 'cost' | 'difference' | 'parts'>;
/** What changed for each value of a dimension, the largest first. */
export interface RankedChanges extends Omit<Changes['by_customer'], 'rows' | 'causes'> {
  readonly rows: readonly (Named & ChangedAmounts)[];
  readonly causes: readonly (Omit<Changes['by_customer']['causes'][number], 'rows'> & {
    readonly rows: readonly (Named & { readonly amount: number })[];
  })[];
}
/** The name of a row, under the name of its dimension. */
type Named = Readonly<Partial<Record<WatchedDimension | 'user' | 'tag', string>>>;

export type TagsAnswer = api.TagsAnswer;
export type Call = RowOf<api.CallsAnswer>;
export type EventRow = RowOf<api.EventsAnswer>;
export type ExplainedCall = Extract<api.CallAnswer, { readonly open: false }>;
export type OpenCall = Extract<api.CallAnswer, { readonly open: true }>;
export type ExplanationLine = ExplainedCall['explanation']['lines'][number];
/** Where a unit price comes from. */
export type PriceSource = ExplanationLine['source'];
/** A term that changed a rate. */
export type TermOfLine = NonNullable<Extract<ExplanationLine, { readonly tokens: number }>['terms']>[number];
export type Run = api.RunAnswer;

export type PriceOverride = api.PricesAnswer['prices'][number];
/** The age of a list of prices. */
export type ListAge = api.PricesAnswer['lists'][number];
export type ModelPrice = api.ModelPriceAnswer;
export type Reprice = api.RepricesAnswer['reprices'][number];
export type RepriceDetail = api.RepriceAnswer;
/** What a dry run assumes of past calls. */
export type Assumption = Omit<NonNullable<RepriceDetail['assume']>, 'overrides'> & {
  readonly overrides?: readonly AssumedPrice[];
};
/** The API has further fields, and answers with those that the question has. */
export type AssumedPrice = Readonly<Record<string, unknown>> & { readonly model: string };

export type RevenueEntry = RowOf<api.RevenueAnswer>;
export type SharedCost = RowOf<api.SharedCostsAnswer>;
export type SharedAllocation = api.SharedCostAllocationAnswer;
export type CreditGrant = api.CreditGrantsAnswer['credit_grants'][number];
export type CreditCliff = api.CreditCliffAnswer;
export type CliffCustomer = CreditCliff['customers'][number];
export type ExchangeRate = api.ExchangeRatesAnswer['rates'][number];
export type StripeHooks = api.StripeAnswer;
export type StripeHook = StripeHooks['hooks'][number];
export type ProviderAccount = api.ProviderAccountsAnswer['accounts'][number];
export type StripePair = api.StripeCustomersAnswer['customers'][number];

export type Budget = api.BudgetsAnswer['budgets'][number];
/** A budget with what is spent in its current period. */
export type BudgetStanding = api.BudgetAnswer;
export type BudgetScope = Budget['scope'];
export type EachDimension = NonNullable<Budget['each']>;
export type EachSpent = NonNullable<BudgetStanding['each_spent']>[number];

/** A kind of alert, with the settings of the kind. */
export type Alert = api.AlertsAnswer['alerts'][number];
export type AlertKind = Alert['kind'];
export type AuditPage = api.AuditAnswer;
export type AuditQuery = api.AuditQuery;
export type AuditEntry = AuditPage['entries'][number];

export type FiringsPage = api.FiringsAnswer;
/** A cause of an alert, from its beginning to its end. */
export type Firing = FiringsPage['firings'][number];
export type NotificationEndpoint = api.NotificationEndpointsAnswer['endpoints'][number];
export type AttemptsPage = api.NotificationEndpointAttemptsAnswer;
/** An attempt to deliver a notification. */
export type DeliveryAttempt = AttemptsPage['attempts'][number];

export type InvoiceEntry = RowOf<api.InvoicesAnswer>;
export type InvoiceKind = InvoiceEntry['kind'];
/** What is computed and what is invoiced, and the parts of the difference. */
export type ReconciliationRow = RowOf<api.ReconciliationAnswer>;
export type DifferencePart = ReconciliationRow['parts'][number];
export type PartKind = DifferencePart['kind'];
/** A price that would close a part: the body of `POST /api/prices/`. */
export type OfferedPrice = NonNullable<DifferencePart['override']>;
/** All days up to one, as they were. */
export type Close = api.ClosesAnswer['closes'][number];
export type DriftPage = api.CloseDriftAnswer;
/** A row of the drift that is asked without groups. */
export type DriftRow = RowOf<DriftPage> & Required<Pick<RowOf<DriftPage>, 'day' | 'customer' | 'cause'>>;
export type DriftCause = DriftRow['cause'];

export type Waste = api.WasteAnswer;
export type WasteRow = Waste['rows'][number];
export type WasteCause = WasteRow['cause'];
export type NextSteps = api.NextStepsAnswer;
export type NextStep = NextSteps['steps'][number];
export type StepKind = NextStep['kind'];

/** How a plan pays. */
export type PlanRow = RowOf<api.PlansAnswer>;
/** What plans would have earned. */
export type Simulation = api.SimulateAnswer;
export type SimulatedPlan = Simulation['plans'][number];
/** A simulation that is saved under a name, and a plan of its question. */
export type SavedSimulation = api.SimulationAnswer;
export type AskedPlan = SavedSimulation['question']['plans'][number];
