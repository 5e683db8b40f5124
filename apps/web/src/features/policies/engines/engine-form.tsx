import { mayBeOverridden } from '@flotilla/policy/method-words';
import { Button } from '@mantine/core';
import { MEMBER_ORDER, POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import { Notice } from '../../../ui/index.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { PolicyField } from '../fields/policy-field.tsx';
import { ENGINE_FIELDS } from '../form/engine-names.ts';
import { labelOf } from '../form/field-value.ts';
import { usePolicyForm } from '../form/form-context.ts';
import type { Members } from '../form/policy-view.ts';
import { KeyList } from '../keys/key-list.tsx';
import classes from './engines.module.css';
import { KEY_FILES, KeyFileChoice } from './key-file-choice.tsx';
import { texts } from './texts.ts';

const text = texts.engineForm;

interface EngineFormProps {
  readonly name: string;
  readonly path: EditPath;
  readonly block: Members;
}

/** Options that most policies do not need, shown under "More options". */
const RARE: ReadonlySet<string> = new Set([
  'sources',
  'strip_credential',
  'subject_header',
  'leeway',
  'header_name',
  'max_age',
  'type',
  'any_method',
  'block_upgrades',
  'content_types',
  'max_fragment_depth',
  'max_complexity',
  'max_directives',
  'max_arguments',
  'block_incremental',
  'max_cost',
  'field_costs',
  'share',
]);
const BODY_CAP_BYTES = 65_536;

/** Shows the options of one engine, generated from the description of the policy language. */
export function EngineForm({ name, path, block }: EngineFormProps) {
  const { errorsAt } = usePolicyForm();
  const value = ENGINE_FIELDS.find((field) => field.name === name)?.value;
  const type = value?.kind === 'message' ? value.type : '';
  const fields = (POLICY_MESSAGES.get(type)?.fields ?? []).filter((field) => isShown(field.name, block));
  const isAdjusted = fields.some((field) => RARE.has(field.name) && block[field.name] !== undefined);
  const renderField = (field: (typeof fields)[number]) => (
    <PolicyField
      key={field.name}
      type={type}
      name={field.name}
      path={path}
      members={block}
      label={name === 'rate_limit' || field.name !== 'key' ? labelOf(field.name) : text.form.countedBy}
    />
  );
  const render = (field: (typeof fields)[number]) =>
    name === 'jwt' && KEY_FILES.has(field.name) ? (
      field.name === 'public_key_file' && <KeyFileChoice key={field.name} path={path} block={block} />
    ) : type === 'policy.ApiKey' && field.name === 'keys' ? (
      <div key={field.name} className={classes.wide}>
        <KeyList path={[...path, field.name]} keys={block[field.name]} />
      </div>
    ) : field.name.endsWith('_file') ? (
      // This field has its own cell in the grid.
      renderField(field)
    ) : (
      <div key={field.name} {...(isWide(field) && { className: classes.wide })}>
        {renderField(field)}
      </div>
    );
  return (
    <div className={classes.form}>
      {name === 'graphql' && <BodyNeeded title={text.bodyNeeded.graphql} />}
      <div className={classes.fields}>{fields.filter((field) => !RARE.has(field.name)).map(render)}</div>
      {/* Below the fields, so that a message moves none of them while the user clicks. */}
      {isOverridable(name, block) && <BodyNeeded title={text.bodyNeeded.methods} />}
      {fields.some((field) => RARE.has(field.name)) && (
        <details open={isAdjusted || undefined}>
          <summary className={classes.more}>{text.form.summary}</summary>
          <div className={classes.fields}>{fields.filter((field) => RARE.has(field.name)).map(render)}</div>
        </details>
      )}
      {errorsAt(path).map(({ rule, message }) => (
        <p key={`${rule} ${message}`} className={classes.error}>
          {message.charAt(0).toUpperCase() + message.slice(1)}
        </p>
      ))}
    </div>
  );
}

/** Whether to show a field. Fields that another field makes irrelevant are hidden unless they are set. */
function isShown(name: string, block: Members): boolean {
  if (block[name] !== undefined) return true;
  if (name === 'header') return block.key === 'header';
  if (name === 'source' || name === 'name') return block.sources === undefined;
  return true;
}

function isWide({ shape, value }: { shape: string; value: { kind: string } }): boolean {
  return shape === 'list' && value.kind === 'message';
}

/** Whether a field in the body can override a method that the engine allows. */
function isOverridable(name: string, { allow, keys }: Members): boolean {
  if (name === 'methods') return mayBeOverridden(allow);
  return name === 'api_key' && Array.isArray(keys) && keys.some((key: Members | null) => mayBeOverridden(key?.methods));
}

/** Offers to read bodies, because the engine needs them. */
function BodyNeeded({ title }: { readonly title: string }) {
  const { defaults, apply, isReadOnly } = usePolicyForm();
  if (defaults.inspect_request_body === true) return null;
  const at = ['spec', 'defaults'];
  const turnOn = () =>
    apply([
      { kind: 'set', path: [...at, 'inspect_request_body'], value: true, order: MEMBER_ORDER },
      ...(defaults.max_request_body_bytes === undefined
        ? [
            {
              kind: 'set' as const,
              path: [...at, 'max_request_body_bytes'],
              value: BODY_CAP_BYTES,
              order: MEMBER_ORDER,
            },
          ]
        : []),
    ]);
  return (
    <Notice tone="warn" title={title}>
      {!isReadOnly && (
        <Button variant="default" size="compact-xs" onClick={turnOn}>
          {text.bodyNeeded.readBodies}
        </Button>
      )}
    </Notice>
  );
}
