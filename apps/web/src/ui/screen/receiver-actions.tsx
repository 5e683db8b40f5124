import { useState } from 'react';
import { explain, Notice } from '../notice.tsx';
import { RowActions } from '../row-actions.tsx';
import { sayDone } from '../toast.ts';

/** The words of a list of receivers. */
export interface ReceiverWords {
  readonly test: string;
  readonly testLabel: (name: string) => string;
  readonly tested: (name: string, message: string, ms: number) => string;
  readonly testFailed: (name: string, message: string) => string;
  readonly testNotSent: string;
  readonly edit: string;
  readonly editLabel: (name: string) => string;
  readonly remove: string;
  readonly removeLabel: (name: string) => string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
}

interface TestAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly latency_ms: number;
}

interface ReceiverActionsProps {
  readonly name: string;
  readonly words: ReceiverWords;
  /** Sends a test message. Undefined, as for the others: the user may not. */
  readonly test: (() => Promise<{ readonly body: TestAnswer }>) | undefined;
  readonly edit: (() => void) | undefined;
  readonly remove: (() => Promise<unknown>) | undefined;
}

/** Tests, edits and deletes something that messages are sent to. Below them: why the test message did not arrive. */
export function ReceiverActions({ name, words, test, edit, remove }: ReceiverActionsProps) {
  const [problem, setProblem] = useState<string>();
  const run = async (send: NonNullable<typeof test>) => {
    setProblem(undefined);
    try {
      const { body } = await send();
      if (body.ok) sayDone(words.tested(name, body.message, body.latency_ms));
      else setProblem(words.testFailed(name, body.message));
    } catch (error) {
      setProblem(explain(error).message);
    }
  };
  return (
    <>
      <RowActions
        of={name}
        actions={[
          { word: words.test, label: words.testLabel(name), onClick: test && (() => void run(test)) },
          { word: words.edit, label: words.editLabel(name), onClick: edit },
          {
            word: words.remove,
            label: words.removeLabel(name),
            confirm: remove && {
              title: words.removeTitle(name),
              children: words.removeText,
              isDangerous: true,
              onConfirm: remove,
            },
          },
        ]}
      />
      {problem !== undefined && (
        <Notice tone="bad" title={words.testNotSent}>
          {problem}
        </Notice>
      )}
    </>
  );
}
