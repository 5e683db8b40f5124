import { Button, Select, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { texts } from '../texts/index.ts';
import { Notice, Problem, ShownOnce, Time, useSending } from '../ui/index.ts';
import layout from '../ui/layout.module.css';
import { chooseOverlap, offerOverlaps } from './overlaps.ts';

const text = texts.accounts.secret;
const OVERLAP_DEFAULT_S = 86_400;

interface ChangeSecretProps {
  /** What changes with it, and what to have ready. */
  readonly children: ReactNode;
  /** There is none of before that could hold on. */
  readonly isFirst?: boolean;
  /** When the secret of before the last change ends: until then two hold, and no third may. */
  readonly endsAt?: string | null | undefined;
  /** Seconds that are chosen until somebody chooses; a day unless told. */
  readonly overlapS?: number;
  /** When the token itself ends: no secret of it holds longer. */
  readonly tokenEndsAt?: string;
  /** Rejects with why none was made. */
  readonly send: (overlapS: number) => Promise<unknown>;
}

/** Makes a new secret, and asks for how long the one of now still holds. */
export function ChangeSecret({
  children,
  isFirst = false,
  endsAt,
  overlapS = OVERLAP_DEFAULT_S,
  tokenEndsAt,
  send,
}: ChangeSecretProps) {
  const sending = useSending();
  const [offered] = useState(() => offerOverlaps(tokenEndsAt, Date.now()));
  // Where two hold only an end of both at once is taken: that is for somebody to choose, not for a key pressed in passing.
  const [overlap, setOverlap] = useState(() => (endsAt ? null : chooseOverlap(offered, overlapS)));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(() => send(isFirst ? 0 : Number(overlap)));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p className={layout.note}>{children}</p>
        {endsAt && (
          <Notice tone="quiet" title={text.twoHold}>
            {text.twoHoldText(<Time at={endsAt} />)}
          </Notice>
        )}
        {!isFirst && (
          <Select
            label={text.overlap}
            description={text.overlapHint}
            data={[...offered]}
            allowDeselect={false}
            placeholder={text.choose}
            value={overlap}
            onChange={(value) => setOverlap(value ?? overlap)}
          />
        )}
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={!isFirst && overlap === null} data-autofocus>
            {text.make}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

interface MadeSecretProps {
  readonly secret: string;
  /** For the button that copies: `secret`, `token`. */
  readonly what: string;
  /** Whether anybody can show it again. */
  readonly once: string;
  /** When the one of before ends; null or undefined: it has, or there was none. */
  readonly oldEnds: string | null | undefined;
  readonly onDone: () => void;
}

/** What was made, this once. */
export function MadeSecret({ secret, what, once, oldEnds, onDone }: MadeSecretProps) {
  return (
    <Stack gap="md">
      <ShownOnce secret={secret} what={what}>
        {once}
      </ShownOnce>
      {oldEnds && (
        <p role="status" className={layout.note}>
          {text.oldEnds(<Time at={oldEnds} />)}
        </p>
      )}
      <div>
        <Button onClick={onDone}>{text.done}</Button>
      </div>
    </Stack>
  );
}
