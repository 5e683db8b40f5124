import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Copy, State, Time, useNow } from '../../../ui/index.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { asList, asRecord } from '../../../yaml/plain.ts';
import type { PlacedError } from '../editing/policy-errors.ts';
import { PolicyField } from '../fields/policy-field.tsx';
import { usePolicyForm } from '../form/form-context.ts';
import { addItem, removeItem } from '../form/list-edits.ts';
import { type Members, textOf } from '../form/policy-view.ts';
import { AddKey, type NewKey } from './add-key.tsx';
import classes from './keys.module.css';
import { digestKey } from './sha256.ts';
import { texts } from './texts.tsx';
import { validityOf } from './validity.ts';

const text = texts.keyList;

const TYPE = 'policy.ApiKeyEntry';
const SHOWN = 12;
const MINUTE_MS = 60_000;
/** Number of keys that are shown at first; the rest is shown on request. */
const ROWS_MAX = 50;

interface KeyListProps {
  /** Path of `keys`. */
  readonly path: EditPath;
  readonly keys: unknown;
}

/** Lists accepted keys with owner, rights and expiry, but never the keys themselves. */
export function KeyList({ path, keys }: KeyListProps) {
  const { isReadOnly, apply, errorsAt } = usePolicyForm();
  const entries = (asList(keys) ?? []).map((entry) => asRecord(entry) ?? {});
  const list = { path, count: entries.length };
  const [open, setOpen] = useState<number>();
  const [isAdding, setAdding] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? entries : entries.slice(0, ROWS_MAX);
  const remove = (index: number) => {
    apply([removeItem(list, index, 'empty')]);
    setOpen(undefined);
  };
  return (
    <fieldset className={classes.keys}>
      <legend>{text.list.title(entries.length)}</legend>
      <ul>
        {shown.map((entry, index) => (
          // Keys have no ID, so the index is the key.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index}>
            <KeyLine
              entry={entry}
              path={[...path, index]}
              isOpen={open === index}
              onToggle={() => setOpen(open === index ? undefined : index)}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ul>
      {shown.length < entries.length && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
          {text.list.showAll(entries.length)}
        </Button>
      )}
      {!isReadOnly && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={13} />}
            onClick={() => setAdding(true)}
          >
            {text.list.add}
          </Button>
        </div>
      )}
      {/* Below the button: a message that moved it between press and release would swallow the click. */}
      <Errors errors={errorsAt(path)} />
      <AddKey
        opened={isAdding}
        known={entries.map(({ sha256 }) => textOf(sha256).toLowerCase())}
        onAdd={(key) => apply([addItem(list, toEntry(key))])}
        onClose={() => setAdding(false)}
      />
    </fieldset>
  );
}

function toEntry({ subject, sha256, scopes, expiresAt }: NewKey) {
  return {
    sha256,
    ...(subject !== '' && { subject }),
    ...(scopes.length > 0 && { scopes }),
    ...(expiresAt !== '' && { expires_at: expiresAt }),
  };
}

interface KeyLineProps {
  readonly entry: Members;
  readonly path: EditPath;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onRemove: () => void;
}

function KeyLine({ entry, path, isOpen, onToggle, onRemove }: KeyLineProps) {
  const { isReadOnly, errorsWithin } = usePolicyForm();
  const subject = textOf(entry.subject);
  const scopes = (asList(entry.scopes) ?? []).map(textOf);
  const methods = (asList(entry.methods) ?? []).map(textOf);
  const rate = textOf(entry.requests_per_second);
  const who = subject || 'unnamed';
  return (
    <>
      <div className={classes.line}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
          <bdi>{who}</bdi>
        </button>
        <Fingerprint entry={entry} path={path} />
        {scopes.length > 0 && <bdi className={classes.dimmed}>{scopes.join(', ')}</bdi>}
        {methods.length > 0 && <span className={classes.dimmed}>{text.key.methods(methods.join(', '))}</span>}
        {rate !== '' && <span className={classes.dimmed}>{text.key.rate(rate)}</span>}
        <ValidityState entry={entry} />
        {!isReadOnly && (
          <Tooltip label={text.key.remove}>
            <ActionIcon className={classes.last} aria-label={text.key.removeOf(who)} onClick={onRemove}>
              <IconTrash size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <Errors errors={errorsWithin(path)} />
      {isOpen && (
        <div className={classes.fields}>
          <PolicyField type={TYPE} name="subject" path={path} members={entry} />
          <PolicyField type={TYPE} name="scopes" path={path} members={entry} />
          <PolicyField type={TYPE} name="not_before" path={path} members={entry} />
          <PolicyField type={TYPE} name="expires_at" path={path} members={entry} />
          <PolicyField type={TYPE} name="methods" path={path} members={entry} />
          <PolicyField type={TYPE} name="requests_per_second" path={path} members={entry} />
          <PolicyField type={TYPE} name="burst" path={path} members={entry} />
        </div>
      )}
    </>
  );
}

function Errors({ errors }: { errors: readonly PlacedError[] }) {
  return errors.map(({ path, message }) => (
    <p key={`${path} ${message}`} className={classes.error}>
      {message}
    </p>
  ));
}

/** Shows the beginning of the digest. For a raw key in the text, only offers to replace it. */
function Fingerprint({ entry, path }: { entry: Members; path: EditPath }) {
  const { isReadOnly, apply } = usePolicyForm();
  const [sha256, key] = [textOf(entry.sha256), textOf(entry.key)];
  if (sha256 !== '')
    return (
      <span className={classes.print}>
        <span className="mono" title={sha256}>
          {sha256.slice(0, SHOWN)}
        </span>{' '}
        <Copy text={sha256} what={text.fingerprint.copied} />
      </span>
    );
  if (key === '') return <span className={classes.dimmed}>{text.fingerprint.noKey}</span>;
  const replace = async () => {
    const value = await digestKey(key);
    apply([
      { kind: 'remove', path: [...path, 'key'] },
      { kind: 'set', path: [...path, 'sha256'], value },
    ]);
  };
  return (
    <>
      <State word={text.fingerprint.rawKey} tone="warn" shape="triangle" why={text.fingerprint.whyRawKey} />
      {!isReadOnly && (
        <Button variant="subtle" size="compact-xs" onClick={() => void replace()}>
          {text.fingerprint.replaceNow}
        </Button>
      )}
    </>
  );
}

function ValidityState({ entry }: { entry: Members }) {
  const now = useNow(MINUTE_MS);
  const [from, until] = [textOf(entry.not_before), textOf(entry.expires_at)];
  switch (validityOf(from, until, now)) {
    case 'always':
      return null;
    case 'over':
      return <State word={text.validity.expired} tone="bad" shape="ring" why={text.validity.whyExpired(until)} />;
    case 'not_yet':
      return <State word={text.validity.notYet} tone="quiet" shape="ring" why={text.validity.whyNotYet(from)} />;
    case 'soon_over':
      return (
        <span className={classes.print}>
          <State word={text.validity.expiresSoon} tone="warn" shape="half" /> <Time at={until} />
        </span>
      );
    case 'now':
      return until === '' ? null : <span className={classes.dimmed}>{text.validity.until(<Time at={until} />)}</span>;
  }
}
