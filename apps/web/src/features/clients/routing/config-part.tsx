import { type BgpConfigAnswer, formatBgpLine, mayCommand, readBgpConfig } from '@flotilla/contract';
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { CodeEditor } from '../../../changes/index.ts';
import { Notice, Problem, useSending } from '../../../ui/index.ts';
import classes from '../client.module.css';
import type { Client } from '../model.ts';
import { Answer } from './answer.tsx';
import { type Review, ReviewDialog } from './review-dialog.tsx';
import { texts } from './texts.ts';
import { useRouting, useRoutingCall } from './use-routing.ts';

const text = texts.config;

export function ConfigPart({ client }: { client: Client }) {
  const query = useRouting(client.client_id, 'BGP_GET_CONFIG');
  return (
    <Answer query={query} what={text.what} read={readBgpConfig}>
      {(answer) => <Config key={answer.revision} client={client} answer={answer} />}
    </Answer>
  );
}

const STARTER = { autonomous_system: 64_512, router_id: '192.0.2.1', neighbors: [] };

function Config({ client, answer }: { client: Client; answer: BgpConfigAnswer }) {
  const mayChange = mayCommand(useProject().role, 'ROUTING BGP_SET_CONFIG');
  const [draft, setDraft] = useState(() => `${JSON.stringify(answer.config ?? STARTER, null, 2)}\n`);
  const [review, setReview] = useState<Review>();
  const [replaces, setReplaces] = useState(false);
  const sending = useSending();
  const send = useRoutingCall(client.client_id);
  const start = () =>
    sending.send(async () => {
      const wanted = { config: parseDraft(draft), ...(replaces && { replace: true }) };
      setReview({ wanted, diff: await send('BGP_DIFF_CONFIG', wanted), expected: answer.revision });
    });
  return (
    <>
      <span className={classes.dimmed}>{answer.config ? text.revision(answer.revision) : text.none}</span>
      {!answer.isInSync && (
        <Notice tone="warn" title={text.drift}>
          <pre className={classes.result}>{answer.drift.map(formatBgpLine).join('\n')}</pre>
        </Notice>
      )}
      {answer.warnings.length > 0 && (
        <Notice tone="warn" title={text.warnings}>
          {answer.warnings.map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Notice>
      )}
      {(mayChange || answer.config) && (
        <CodeEditor
          value={draft}
          onChange={setDraft}
          language="json"
          readOnly={!mayChange}
          ariaLabel={text.editor}
          maxHeight="60dvh"
        />
      )}
      {sending.error !== undefined && <Problem error={sending.error} what={text.refused} />}
      {(replaces || isForeign(sending.error)) && (
        <Checkbox
          size="xs"
          label={text.replace}
          description={text.replaceHelp}
          checked={replaces}
          onChange={(event) => setReplaces(event.currentTarget.checked)}
        />
      )}
      {mayChange && (
        <div>
          <Button size="xs" loading={sending.isBusy} onClick={() => void start()}>
            {text.review}
          </Button>
        </div>
      )}
      <ReviewDialog client={client} review={review} onClose={() => setReview(undefined)} />
    </>
  );
}

/** FRR has objects of the same names that Flotilla did not create. */
function isForeign(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'routing.unmanaged';
}

function parseDraft(draft: string): unknown {
  try {
    return JSON.parse(draft);
  } catch {
    throw new Error(text.notJson);
  }
}
