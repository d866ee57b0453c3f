import type { ComponentProps } from 'react';
import { Field } from '../ui/basics.tsx';

const rateFields = {
  input_per_mtok: 'Input, USD per million tokens',
  output_per_mtok: 'Output, USD per million tokens',
  cache_read_per_mtok: 'Cached input (default: input)',
  per_request: 'USD per call (default: none)',
} as const;

export type PriceField = 'model' | 'provider' | keyof typeof rateFields;

interface PriceFieldsProps {
  /** What else the input of a field gets, such as its value. */
  readonly propsOf: (field: PriceField) => ComponentProps<'input'>;
}

/** The fields of a price that a form asks for: whose calls it is of, and its rates. */
export const PriceFields = ({ propsOf }: PriceFieldsProps) => (
  <>
    <Field
      label="Model"
      required
      placeholder="house-llm*"
      hint="A * at the end matches every name that begins like this"
      {...propsOf('model')}
    />
    <Field label="Provider (default: all)" {...propsOf('provider')} />
    {(Object.keys(rateFields) as (keyof typeof rateFields)[]).map((field) => (
      <Field
        key={field}
        label={rateFields[field]}
        inputMode="decimal"
        required={field.endsWith('put_per_mtok')}
        {...propsOf(field)}
      />
    ))}
  </>
);
