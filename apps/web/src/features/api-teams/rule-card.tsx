import type { ApiOwnerPreview } from '@flotilla/contract';
import { Button, Fieldset, Group, MultiSelect, Select, SimpleGrid, TextInput } from '@mantine/core';
import layout from '../../ui/layout.module.css';
import type { RuleValues } from './rule-values.ts';
import { texts } from './texts.ts';

const text = texts.rules;

const toOptions = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const CRITICALITIES = toOptions(texts.criticalities);
const DATA = toOptions(texts.data);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];

interface RuleCardProps {
  readonly values: RuleValues;
  /** The result of a preview. */
  readonly outcome: ApiOwnerPreview['rules'][number] | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (values: RuleValues) => void;
  readonly onRemove: () => void;
  /** undefined: the rule is the first one. */
  readonly onUp: (() => void) | undefined;
}

/** One rule: what it matches and what it says. */
export function RuleCard({ values, outcome, isReadOnly, onChange, onRemove, onUp }: RuleCardProps) {
  const name = values.name || text.unnamed;
  return (
    <Fieldset legend={<bdi>{name}</bdi>} disabled={isReadOnly}>
      <div className={layout.stack}>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm" style={{ alignItems: 'end' }}>
          <Field name="name" label={text.rule} {...{ values, onChange }} />
          <Field name="host" label={text.host} {...{ values, onChange }} />
          <Field name="paths" label={text.paths} hint={text.pathsHint} {...{ values, onChange }} />
          <Field name="listener" label={text.listener} {...{ values, onChange }} />
          <MultiSelect
            label={text.methods}
            data={METHODS}
            value={values.methods}
            onChange={(methods) => onChange({ ...values, methods })}
          />
          <Field name="team" label={text.team} {...{ values, onChange }} />
          <Field name="owner" label={text.owner} {...{ values, onChange }} />
          <Select
            label={text.criticality}
            data={CRITICALITIES}
            value={values.criticality}
            clearable
            onChange={(criticality) => onChange({ ...values, criticality: criticality as RuleValues['criticality'] })}
          />
          <MultiSelect
            label={text.data}
            data={DATA}
            value={values.data}
            onChange={(data) => onChange({ ...values, data: data as RuleValues['data'] })}
          />
          <Field name="tags" label={text.tags} hint={text.tagsHint} {...{ values, onChange }} />
        </SimpleGrid>
        {outcome !== undefined && (
          <p className={layout.note}>
            {outcome.shadowed
              ? text.shadowed(outcome.shadowed_by.join(', '))
              : text.matches(outcome.matched, outcome.effective)}
          </p>
        )}
        {!isReadOnly && (
          <Group gap="xs">
            {onUp && (
              <Button variant="default" size="compact-xs" aria-label={text.up(name)} onClick={onUp}>
                {text.upWord}
              </Button>
            )}
            <Button variant="default" size="compact-xs" aria-label={text.remove(name)} onClick={onRemove}>
              {text.removeWord}
            </Button>
          </Group>
        )}
      </div>
    </Fieldset>
  );
}

interface FieldProps {
  readonly name: 'name' | 'host' | 'paths' | 'listener' | 'team' | 'owner' | 'tags';
  readonly label: string;
  readonly hint?: string;
  readonly values: RuleValues;
  readonly onChange: (values: RuleValues) => void;
}

function Field({ name, label, hint, values, onChange }: FieldProps) {
  return (
    <TextInput
      label={label}
      {...(hint !== undefined && { description: hint })}
      value={values[name]}
      onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
    />
  );
}
