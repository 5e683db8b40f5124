import { useState } from 'react';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { ChoiceField } from '../fields/choice-field.tsx';
import { PolicyField } from '../fields/policy-field.tsx';
import { usePolicyForm } from '../form/form-context.ts';
import type { Members } from '../form/policy-view.ts';
import classes from './engines.module.css';
import { texts } from './texts.ts';

const text = texts.keyFileChoice;

const FILES = [
  { value: 'public_key_file', label: text.files.publicKey },
  { value: 'jwks_file', label: text.files.jwks },
  { value: 'hmac_secret_file', label: text.files.hmacSecret },
] as const;

type KeyFile = (typeof FILES)[number]['value'];

export const KEY_FILES: ReadonlySet<string> = new Set(FILES.map(({ value }) => value));

/** Selects the file that verifies tokens: one of three kinds, only one of which may be set. */
export function KeyFileChoice({ path, block }: { path: EditPath; block: Members }) {
  const { apply, isReadOnly } = usePolicyForm();
  const written = FILES.filter(({ value }) => block[value] !== undefined).map(({ value }) => value);
  const [wanted, setWanted] = useState<KeyFile>('public_key_file');
  const [first = wanted, ...others] = written;
  const choose = (next: string) => {
    const file = FILES.find(({ value }) => value === next)?.value;
    if (file === undefined) return;
    setWanted(file);
    if (written.length > 0 && !written.includes(file))
      apply(written.map((each) => ({ kind: 'remove' as const, path: [...path, each] })));
  };
  return (
    <>
      <div className={classes.wide}>
        <ChoiceField
          label={text.choice.label}
          description={text.choice.hint}
          options={FILES}
          value={first}
          isReadOnly={isReadOnly}
          onChoose={choose}
        />
      </div>
      {[first, ...others].map((name) => (
        <PolicyField key={name} type="policy.Jwt" name={name} path={path} members={block} />
      ))}
    </>
  );
}
