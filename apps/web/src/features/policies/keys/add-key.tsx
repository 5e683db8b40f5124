import { Button, Group, PasswordInput, SegmentedControl, Stack, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormDialog, ShownOnce } from '../../../ui/index.ts';
import { texts as uiTexts } from '../../../ui/texts.tsx';
import classes from './keys.module.css';
import { digestKey, generateKey } from './sha256.ts';
import { texts } from './texts.tsx';

const text = texts.addKey;

/** The part of a key that goes into the policy. */
export interface NewKey {
  readonly sha256: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** RFC 3339; empty: never. */
  readonly expiresAt: string;
}

interface AddKeyProps {
  readonly opened: boolean;
  /** Digests that are already in the list. */
  readonly known: readonly string[];
  readonly onAdd: (key: NewKey) => void;
  readonly onClose: () => void;
}

/** Generates a key or accepts an existing one. The key itself never leaves this dialog: only its digest goes into the text. */
export function AddKey({ opened, onClose, ...rest }: AddKeyProps) {
  return (
    <FormDialog of={opened ? 'new' : undefined} title={() => text.dialog.title} onClose={onClose}>
      {() => <AddKeyForm {...rest} onClose={onClose} />}
    </FormDialog>
  );
}

/** Where the key comes from. */
type Way = 'make' | 'bring';

interface KeyDetails {
  readonly subject: string;
  readonly scopes: readonly string[];
  /** Local time of the input; empty: never. */
  readonly until: string;
}

function AddKeyForm({ known, onAdd, onClose }: Omit<AddKeyProps, 'opened'>) {
  const [way, setWay] = useState<Way>('make');
  const [made] = useState(generateKey);
  const [brought, setBrought] = useState('');
  const [details, setDetails] = useState<KeyDetails>({ subject: '', scopes: [], until: '' });
  const [problem, setProblem] = useState<string>();
  const key = way === 'make' ? made : brought.trim();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key === '') return setProblem(text.form.missing);
    const sha256 = await digestKey(key);
    if (known.includes(sha256)) return setProblem(text.form.alreadyListed);
    onAdd(toNewKey(sha256, details));
    onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <OriginChoice
          way={way}
          onChange={(next) => {
            setWay(next);
            setProblem(undefined);
          }}
        />
        {way === 'make' ? (
          <ShownOnce secret={made} what={text.form.secret}>
            {text.form.shownOnce}
          </ShownOnce>
        ) : (
          <PasswordInput
            label={text.form.key}
            description={text.form.keyHint}
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
        <Details details={details} onChange={setDetails} />
        {way === 'make' && problem !== undefined && <p className={classes.error}>{problem}</p>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {uiTexts.confirm.cancel}
          </Button>
          <Button type="submit">{text.form.add}</Button>
        </Group>
      </Stack>
    </form>
  );
}

function toNewKey(sha256: string, { subject, scopes, until }: KeyDetails): NewKey {
  return { sha256, subject: subject.trim(), scopes, expiresAt: until === '' ? '' : new Date(until).toISOString() };
}

function OriginChoice({ way, onChange }: { way: Way; onChange: (way: Way) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={text.form.origin}
      data={[
        { value: 'make', label: text.form.make },
        { value: 'bring', label: text.form.bring },
      ]}
      value={way}
      onChange={(next) => onChange(next === 'bring' ? 'bring' : 'make')}
    />
  );
}

interface DetailsProps {
  readonly details: KeyDetails;
  readonly onChange: (details: KeyDetails) => void;
}

function Details({ details, onChange }: DetailsProps) {
  return (
    <>
      <TextInput
        label={text.form.subject}
        description={text.form.subjectHint}
        value={details.subject}
        onChange={(event) => onChange({ ...details, subject: event.currentTarget.value })}
      />
      <TagsInput
        label={text.form.scopes}
        description={text.form.scopesHint}
        value={[...details.scopes]}
        acceptValueOnBlur
        splitChars={[',', ' ']}
        onChange={(scopes) => onChange({ ...details, scopes })}
      />
      <TextInput
        type="datetime-local"
        label={text.form.expires}
        description={text.form.expiresHint}
        value={details.until}
        onChange={(event) => onChange({ ...details, until: event.currentTarget.value })}
      />
    </>
  );
}
