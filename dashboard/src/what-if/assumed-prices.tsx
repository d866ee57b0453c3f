import { useState } from 'react';
import type { AssumedPrice, Assumption } from '../api/types.ts';
import { toPlainDecimal } from '../lib/format.ts';
import { type PriceField, PriceFields } from '../prices/price-fields.tsx';
import { Button } from '../ui/basics.tsx';

/** A price as typed. It keeps the fields that the form doesn't have, such as those of a price that the API was asked with. */
export interface PriceDraft {
  readonly id: number;
  readonly price: AssumedPrice;
}

/** The prices of an assumption as rows to edit. The API answers absent fields as null. */
export const usePriceDrafts = (assumed: Assumption | null | undefined) =>
  useState<readonly PriceDraft[]>(() =>
    (assumed?.overrides ?? []).map((price, id) => ({
      id,
      price: { model: price.model, ...Object.fromEntries(Object.entries(price).filter(([, value]) => value !== null)) },
    })),
  );

/** The prices that have what a price needs: one that is still being typed is not asked about. */
export const toWhole = (drafts: readonly PriceDraft[]): readonly AssumedPrice[] =>
  drafts
    .map(({ price }) => price)
    .filter(
      ({ model, input_per_mtok: input, output_per_mtok: output }) => ![model, input ?? '', output ?? ''].includes(''),
    );

interface AssumedPricesProps {
  readonly drafts: readonly PriceDraft[];
  readonly onChange: (drafts: readonly PriceDraft[]) => void;
}

/** Prices to assume, none at first. */
export function AssumedPrices({ drafts, onChange }: AssumedPricesProps) {
  const edit = (draft: PriceDraft, field: PriceField, text: string) => {
    const { [field]: _replaced, ...others } = draft.price;
    // An empty field is absent: then the default holds. A model is always there.
    const price = text === '' && field !== 'model' ? others : { ...others, [field]: text };
    onChange(
      drafts.map((one) => (one.id === draft.id ? { ...draft, price: { model: draft.price.model, ...price } } : one)),
    );
  };
  return (
    <div className="space-y-3">
      {drafts.map((draft, index) => (
        <fieldset key={draft.id} className="max-w-4xl rounded-lg border border-line p-3">
          <legend className="sr-only">Price {index + 1}</legend>
          <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            <PriceFields
              propsOf={(field) => ({
                value: toText(draft.price[field]),
                onChange: ({ target }) => edit(draft, field, target.value),
              })}
            />
          </div>
          <Button
            kind="quiet"
            className="mt-2 -ml-3"
            aria-label={`Remove price ${index + 1}`}
            onClick={() => onChange(drafts.filter(({ id }) => id !== draft.id))}
          >
            Remove
          </Button>
        </fieldset>
      ))}
      <Button
        onClick={() =>
          onChange([...drafts, { id: 1 + Math.max(-1, ...drafts.map(({ id }) => id)), price: { model: '' } }])
        }
      >
        {drafts.length === 0 ? 'Another price' : 'One more price'}
      </Button>
    </div>
  );
}

/** Amounts stay the text that was typed, so that no float rounds them. */
const toText = (value: unknown): string => (typeof value === 'number' ? toPlainDecimal(value) : String(value ?? ''));
