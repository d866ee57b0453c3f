import { useState } from 'react';
import { toMonth } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Choice } from '../ui/basics.tsx';
import { Snippet } from '../ui/copy.tsx';
import { AddEntry } from './add-entry.tsx';
import { moveMonth } from './month.ts';

const sources = { 'openai-costs': 'OpenAI', 'anthropic-costs': 'Anthropic', csv: 'CSV' } as const;
type Source = keyof typeof sources;

const isApi = (source: Source): source is Exclude<Source, 'csv'> => source !== 'csv';

/** How to enter an invoice, for a month that has none. */
export function NoInvoices({ month }: { readonly month: string }) {
  const { canWrite, project } = useAccess();
  const [source, setSource] = useState<Source>('openai-costs');
  const [isAdding, setAdding] = useState(false);
  const file = isApi(source) ? `${source}-${month}.json` : `invoice-${month}.csv`;
  return (
    <Card aria-label="No invoice yet">
      <CardHead title={`No invoice of ${toMonth(`${month}-01`)} yet`}>
        {canWrite && <Button onClick={() => setAdding(true)}>Add an entry</Button>}
      </CardHead>
      <div className="space-y-4 border-t border-line p-4">
        <p className="max-w-2xl text-mute">
          Import what a provider charged, and this page says where it differs from what the calls cost and why: a
          service that doesn’t report its calls, a model without a price, a discount, a price of your own contract.
        </p>
        <Choice label="From" options={sources} value={source} onChoose={setSource} />
        {isApi(source) ? (
          <Snippet label="1. Save the costs of the month" text={toSaveLine(source, month, file)} />
        ) : (
          <Snippet label={`1. Write ${file}: one line for each entry`} text={toExample(month)} />
        )}
        <Snippet
          label="2. Import the file where Farthing is installed"
          text={`farthing invoices import --from ${source} --project ${project.id} ${file}`}
        />
        {source === 'csv' && (
          <p className="text-[13px] text-mute">
            <code>date</code> stands for an entry of one day, <code>date_from</code> and <code>date_to</code> for one of
            several. <code>model</code>, <code>kind</code> (usage, discount, credit, tax or other) and{' '}
            <code>description</code> may be left out.
          </p>
        )}
      </div>
      {isAdding && <AddEntry month={month} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function toSaveLine(source: Exclude<Source, 'csv'>, month: string, file: string): string {
  const next = moveMonth(month, 1);
  return source === 'openai-costs'
    ? [
        'curl -sSG https://api.openai.com/v1/organization/costs \\',
        '  -H "Authorization: Bearer $OPENAI_ADMIN_KEY" \\',
        `  -d start_time=${toSeconds(month)} -d end_time=${toSeconds(next)} \\`,
        `  -d bucket_width=1d -d limit=31 -d 'group_by[]=line_item' > ${file}`,
      ].join('\n')
    : [
        'curl -sSG https://api.anthropic.com/v1/organizations/cost_report \\',
        '  -H "x-api-key: $ANTHROPIC_ADMIN_KEY" -H \'anthropic-version: 2023-06-01\' \\',
        `  -d starting_at=${month}-01T00:00:00Z -d ending_at=${next}-01T00:00:00Z \\`,
        `  -d limit=31 -d 'group_by[]=description' > ${file}`,
      ].join('\n');
}

const toSeconds = (month: string): number => Date.parse(`${month}-01T00:00:00Z`) / 1_000;

const toExample = (month: string): string =>
  [
    'provider,date_from,date_to,model,amount,kind',
    `openai,${month}-01,${month}-28,gpt-4o-2024-08-06,1234.50,usage`,
    `openai,${month}-01,${month}-28,,-100.00,credit`,
  ].join('\n');
