import { Button, Group, Input, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../../texts/index.ts';
import { Time } from '../../../ui/index.ts';
import { useSettingForm } from '../form-context.ts';
import classes from '../settings.module.css';
import { FileText } from './file-text.tsx';

const text = texts.settings.secret;
/** Longer ones are keys in files. */
const LINE_MAX = 4096;

interface SecretFieldProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly path: string;
  readonly max: number | undefined;
}

/** Shows whether a secret is set and since when; typed values go only to the controller. */
export function SecretField({ label, hint, path, max }: SecretFieldProps) {
  const { isReadOnly, stored, secrets, setSecret, errorAt } = useSettingForm();
  const since = stored.get(path);
  const typed = secrets.get(path);
  const [isAsked, setAsked] = useState(false);
  const keep = () => {
    setAsked(false);
    setSecret(path, undefined);
  };
  if (typed === null)
    return (
      <Input.Wrapper label={label} description={hint} error={errorAt(path)} labelElement="div">
        <Group gap="xs" className={classes.secret}>
          <span>{text.willClear}</span>
          <Button variant="default" size="compact-xs" onClick={keep}>
            {text.keep}
          </Button>
        </Group>
      </Input.Wrapper>
    );
  if (isAsked || typed !== undefined) {
    const change = (secret: string) => setSecret(path, secret === '' ? undefined : secret);
    const description = since === undefined ? (hint ?? text.never) : text.willReplace;
    return (
      <div className={classes.secretInput}>
        {(max ?? 0) > LINE_MAX ? (
          <FileText
            label={label}
            description={description}
            error={errorAt(path)}
            readOnly={false}
            value={typed ?? ''}
            max={max}
            onChange={change}
          />
        ) : (
          <PasswordInput
            label={label}
            description={description}
            error={errorAt(path)}
            value={typed ?? ''}
            maxLength={max}
            autoComplete="new-password"
            autoFocus
            onChange={(event) => change(event.currentTarget.value)}
          />
        )}
        <Button variant="subtle" size="compact-xs" onClick={keep} className={classes.below}>
          {since === undefined ? texts.settings.discard : text.keep}
        </Button>
      </div>
    );
  }
  const action = since === undefined ? text.enter : text.replace;
  return (
    <Input.Wrapper label={label} description={hint} error={errorAt(path)} labelElement="div">
      <Group gap="xs" className={classes.secret}>
        <span>
          {since === undefined ? (
            text.notSet
          ) : (
            <>
              {text.set} <Time at={since} />
            </>
          )}
        </span>
        {!isReadOnly && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={text.label(label, action)}
            onClick={() => setAsked(true)}
          >
            {action}
          </Button>
        )}
        {!isReadOnly && since !== undefined && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={text.label(label, text.clear)}
            onClick={() => setSecret(path, null)}
          >
            {text.clear}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
