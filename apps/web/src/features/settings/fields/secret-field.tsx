import { Button, Group, Input, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { Time } from '../../../ui/index.ts';
import { useSettingForm } from '../form-context.ts';
import { texts } from '../texts.ts';
import { FileText } from './file-text.tsx';

const text = texts.secret;
/** Maximum length of an input; longer secrets are keys in files. */
const LINE_MAX = 4096;

interface SecretFieldProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly path: string;
  readonly max: number | undefined;
}

/** Shows whether a secret is set and since when. Typed values are only sent to the controller. */
export function SecretField({ label, hint, path, max }: SecretFieldProps) {
  const { stored, secrets, setSecret, errorAt } = useSettingForm();
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
        <Group gap="xs" mih={30} fz="sm">
          <span>{text.willClear}</span>
          <Button variant="default" size="compact-xs" onClick={keep}>
            {text.keep}
          </Button>
        </Group>
      </Input.Wrapper>
    );
  if (isAsked || typed !== undefined) {
    return (
      <Stack gap={6} align="flex-start">
        <SecretInput
          label={label}
          description={since === undefined ? (hint ?? text.never) : text.willReplace}
          error={errorAt(path)}
          value={typed ?? ''}
          max={max}
          onChange={(secret) => setSecret(path, secret === '' ? undefined : secret)}
        />
        <Button variant="subtle" size="compact-xs" onClick={keep}>
          {since === undefined ? texts.discard : text.keep}
        </Button>
      </Stack>
    );
  }
  return <StoredSecret label={label} hint={hint} path={path} onEnter={() => setAsked(true)} />;
}

interface StoredSecretProps extends Omit<SecretFieldProps, 'max'> {
  readonly onEnter: () => void;
}

function StoredSecret({ label, hint, path, onEnter }: StoredSecretProps) {
  const { isReadOnly, stored, setSecret, errorAt } = useSettingForm();
  const since = stored.get(path);
  const action = since === undefined ? text.enter : text.replace;
  return (
    <Input.Wrapper label={label} description={hint} error={errorAt(path)} labelElement="div">
      <Group gap="xs" mih={30} fz="sm">
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
          <Button variant="default" size="compact-xs" aria-label={text.label(label, action)} onClick={onEnter}>
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

interface SecretInputProps {
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly max: number | undefined;
  readonly onChange: (secret: string) => void;
}

function SecretInput({ max, onChange, ...input }: SecretInputProps) {
  if ((max ?? 0) > LINE_MAX) return <FileText {...input} readOnly={false} max={max} onChange={onChange} />;
  return (
    <PasswordInput
      {...input}
      maxLength={max}
      autoComplete="new-password"
      autoFocus
      w="100%"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
