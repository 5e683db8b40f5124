import { Button, Select, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { DrawerTitle, Notice, Problem, ShownOnce, Time, useSending } from '../ui/index.ts';
import layout from '../ui/layout.module.css';
import { chooseOverlap, offerOverlaps } from './overlaps.ts';
import { texts } from './texts.tsx';

const text = texts.secret;
const OVERLAP_DEFAULT_S = 86_400;

interface ChangeSecretProps {
  /** Explains the change and what the user has to prepare. */
  readonly children: ReactNode;
  /** No current secret exists that could stay valid. */
  readonly isFirst?: boolean;
  /** When the previous secret expires. Until then two secrets are valid, and a third is not allowed. */
  readonly endsAt?: string | null | undefined;
  /** Preselected overlap in seconds. Defaults to one day. */
  readonly overlapS?: number;
  /** When the token itself expires; no secret outlives it. */
  readonly tokenEndsAt?: string;
  /** Rejects with the reason if no secret was created. */
  readonly send: (overlapS: number) => Promise<unknown>;
}

/** Form that creates a new secret and asks how long the current one stays valid. */
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
  // With two valid secrets, the only option ends both at once, so the user has to select it explicitly.
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

export interface NewSecret {
  readonly secret: string;
  /** When the previous secret expires; null or undefined if there is none. */
  readonly oldEnds: string | null | undefined;
  /** Replaces the title of the drawer. */
  readonly title?: string;
  /** Shown above the secret: the ID of its key. */
  readonly beside?: ReactNode;
}

interface MadeSecretProps {
  readonly made: NewSecret;
  /** Noun on the copy button: `secret`, `token`. */
  readonly what: string;
  /** Says whether the secret can be shown again. */
  readonly once: string;
  readonly onDone: () => void;
}

/** Shows the new secret, once. */
export function MadeSecret({ made: { secret, oldEnds, title, beside }, what, once, onDone }: MadeSecretProps) {
  return (
    <Stack gap="md">
      {title !== undefined && <DrawerTitle title={title} />}
      {beside}
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

interface RotateSecretProps extends Omit<ChangeSecretProps, 'send'>, Omit<MadeSecretProps, 'made'> {
  /** Rejects with the reason if no secret was created. */
  readonly send: (overlapS: number) => Promise<NewSecret>;
}

/** Asks, creates the new secret and shows it. Only this component holds it. */
export function RotateSecret({ send, what, once, onDone, ...question }: RotateSecretProps) {
  const [made, setMade] = useState<NewSecret>();
  if (made) return <MadeSecret made={made} what={what} once={once} onDone={onDone} />;
  return <ChangeSecret {...question} send={async (overlapS) => setMade(await send(overlapS))} />;
}
