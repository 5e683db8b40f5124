import { Button, Group, Modal, PasswordInput, SegmentedControl, Stack, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ShownOnce } from '../../../ui/index.ts';
import classes from './keys.module.css';
import { digestKey, generateKey } from './sha256.ts';

/** What a policy gets to know of a key. */
export interface NewKey {
  readonly sha256: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** RFC 3339; empty: never. */
  readonly expiresAt: string;
}

interface AddKeyProps {
  readonly opened: boolean;
  /** Digests that are in the list already. */
  readonly known: readonly string[];
  readonly onAdd: (key: NewKey) => void;
  readonly onClose: () => void;
}

/** A new key, made here or brought along. The key itself never leaves this dialog: only its digest goes into the text. */
export function AddKey({ opened, onClose, ...rest }: AddKeyProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add an API key" closeButtonProps={{ 'aria-label': 'Close' }}>
      <AddKeyForm {...rest} onClose={onClose} />
    </Modal>
  );
}

function AddKeyForm({ known, onAdd, onClose }: Omit<AddKeyProps, 'opened'>) {
  const [way, setWay] = useState<'make' | 'bring'>('make');
  const [made] = useState(generateKey);
  const [brought, setBrought] = useState('');
  const [subject, setSubject] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [until, setUntil] = useState('');
  const [problem, setProblem] = useState<string>();
  const key = way === 'make' ? made : brought.trim();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key === '') {
      setProblem('Type or paste the key');
      return;
    }
    const sha256 = await digestKey(key);
    if (known.includes(sha256)) {
      setProblem('This key is in the list already');
      return;
    }
    onAdd({ sha256, subject: subject.trim(), scopes, expiresAt: until === '' ? '' : new Date(until).toISOString() });
    onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <SegmentedControl
          size="xs"
          aria-label="Where the key comes from"
          data={[
            { value: 'make', label: 'Make a new key' },
            { value: 'bring', label: 'Use one that exists' },
          ]}
          value={way}
          onChange={(next) => {
            setWay(next === 'bring' ? 'bring' : 'make');
            setProblem(undefined);
          }}
        />
        {way === 'make' ? (
          <ShownOnce secret={made} what="key">
            Give it to whoever shall present it. The policy gets its SHA-256 alone; nobody can read the key back.
          </ShownOnce>
        ) : (
          <PasswordInput
            label="Key"
            description="Its SHA-256 is computed in this browser; the key itself is sent nowhere"
            value={brought}
            error={problem}
            autoComplete="off"
            data-autofocus
            onChange={(event) => {
              setBrought(event.currentTarget.value);
              setProblem(undefined);
            }}
          />
        )}
        <TextInput
          label="Subject"
          description="Who presents the key, as events and the upstream are told"
          value={subject}
          onChange={(event) => setSubject(event.currentTarget.value)}
        />
        <TagsInput
          label="Scopes"
          description="What the key may, where paths need a scope; end each with Enter"
          value={scopes}
          acceptValueOnBlur
          splitChars={[',', ' ']}
          onChange={setScopes}
        />
        <TextInput
          type="datetime-local"
          label="Expires"
          description="Empty: never"
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
        {way === 'make' && problem !== undefined && <p className={classes.error}>{problem}</p>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Add to the policy</Button>
        </Group>
      </Stack>
    </form>
  );
}
