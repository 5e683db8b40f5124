import { formatBgpLine, readBgpDiff } from '@flotilla/contract';
import { Confirm, sayDone, useKept } from '../../../ui/index.ts';
import classes from '../client.module.css';
import type { Client } from '../model.ts';
import { texts } from './texts.ts';
import { useRoutingCall } from './use-routing.ts';

const text = texts.config;

/** A configuration and what it would change. */
export interface Review {
  /** The members of the command. */
  readonly wanted: { readonly config: unknown; readonly replace?: boolean };
  /** The answer to BGP_DIFF_CONFIG. */
  readonly diff: unknown;
  /** The revision that the draft started from. */
  readonly expected: number;
}

interface ReviewDialogProps {
  readonly client: Client;
  /** Undefined closes the dialog. */
  readonly review: Review | undefined;
  readonly onClose: () => void;
}

/** Shows every line that FRR would get or lose, and applies them. */
export function ReviewDialog({ client, review, onClose }: ReviewDialogProps) {
  const send = useRoutingCall(client.client_id);
  const shown = useKept(review);
  const diff = readBgpDiff(shown?.diff);
  const confirm = async () => {
    const result = await send('BGP_SET_CONFIG', { ...shown?.wanted, expected_revision: shown?.expected });
    sayDone(text.applied(readBgpDiff(result)?.revision ?? 0));
  };
  const left = (diff?.total ?? 0) - (diff?.lines.length ?? 0);
  return (
    <Confirm
      opened={review !== undefined}
      title={text.reviewTitle(client.name)}
      action={text.apply}
      isDangerous
      isReady={diff !== undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      {diff?.lines.length === 0 ? (
        text.nothing
      ) : (
        <>
          <p>{text.reviewText}</p>
          <section aria-label={text.lines}>
            <pre className={classes.result}>{diff?.lines.map(formatBgpLine).join('\n')}</pre>
          </section>
          {left > 0 && <p>{text.more(left)}</p>}
        </>
      )}
      {diff?.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </Confirm>
  );
}
