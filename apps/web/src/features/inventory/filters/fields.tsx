import { MultiSelect, NumberInput, TextInput } from '@mantine/core';
import type { FilterFieldProps } from '../../../ui/index.ts';
import { fromLocalInput, toLocalInput } from '../../audit/index.ts';
import { texts } from '../texts.tsx';

const text = texts.fields;

/** Chooses several of many options, with a search. */
export function ManyField({ label, options, values, onChange }: FilterFieldProps) {
  const known = new Set(options.map(({ value }) => value));
  const others = values.filter((value) => !known.has(value)).map((value) => ({ value, label: value }));
  return (
    <MultiSelect
      size="xs"
      w={260}
      label={label}
      placeholder={values.length === 0 ? text.any : ''}
      data={[...others, ...options]}
      value={[...values]}
      onChange={onChange}
      searchable
      hidePickedOptions
      openOnFocus={false}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

/** Several values as text, separated by commas. */
export function ListField({ label, values, onChange }: FilterFieldProps) {
  const before = values.join(', ');
  const apply = (typed: string) => {
    if (typed === before) return;
    onChange([...new Set(typed.split(',').map((one) => one.trim()))].filter((one) => one !== ''));
  };
  return (
    <TextInput
      key={before}
      size="xs"
      label={label}
      defaultValue={before}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value);
      }}
    />
  );
}

/** Codes of countries, which are written in capitals. */
export function CountryField({ onChange, ...props }: FilterFieldProps) {
  return <ListField {...props} onChange={(values) => onChange(values.map((value) => value.toUpperCase()))} />;
}

const WHOLE_NUMBER = /^\d+$/;
const DECIMAL_NUMBER = /^\d+(\.\d{1,3})?$/;

/** A whole number from zero. */
export function NumberField(props: FilterFieldProps) {
  return <AnyNumberField {...props} pattern={WHOLE_NUMBER} decimals={0} />;
}

/** A number from zero with up to three decimals. */
export function DecimalField(props: FilterFieldProps) {
  return <AnyNumberField {...props} pattern={DECIMAL_NUMBER} decimals={3} />;
}

interface AnyNumberFieldProps extends FilterFieldProps {
  readonly pattern: RegExp;
  readonly decimals: number;
}

function AnyNumberField({ label, values, onChange, pattern, decimals }: AnyNumberFieldProps) {
  const before = values[0] ?? '';
  const apply = (typed: string) => {
    if (typed === before) return;
    onChange(pattern.test(typed) ? [typed] : []);
  };
  return (
    <NumberInput
      key={before}
      size="xs"
      label={label}
      min={0}
      allowDecimal={decimals > 0}
      decimalScale={decimals}
      allowNegative={false}
      hideControls
      defaultValue={before}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value);
      }}
    />
  );
}

export function TimeField({ label, values, onChange }: FilterFieldProps) {
  const before = toLocalInput(values[0]);
  return (
    <TextInput
      key={before}
      size="xs"
      type="datetime-local"
      label={label}
      defaultValue={before}
      onBlur={(event) => {
        const at = fromLocalInput(event.currentTarget.value);
        if (event.currentTarget.value !== before) onChange(at === undefined ? [] : [at]);
      }}
    />
  );
}
