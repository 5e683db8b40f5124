import { Button } from '@mantine/core';
import { explain, State } from '../../../ui/index.ts';
import classes from './editing.module.css';
import { texts } from './texts.tsx';
import type { PolicyCheck } from './use-policy-check.ts';

const words = texts.checkState;

/** ID of the list of errors, which may be anywhere on the page. */
export const ERRORS_ID = 'policy-errors';

/** Shows the result of the check beside the save button. */
export function CheckState({ check: { state, errors, failure } }: { check: PolicyCheck }) {
  switch (state) {
    case 'idle':
      return <span className={`${classes.dimmed} ${classes.aside}`}>{words.whenChecked}</span>;
    case 'busy':
      return <State word={words.checking} tone="busy" shape="arc" />;
    case 'good':
      return <State word={words.accepted} tone="good" shape="full" />;
    case 'bad':
      return (
        <>
          <State word={words.refused(errors.length)} tone="bad" shape="triangle" />
          <Button variant="subtle" size="compact-sm" onClick={showErrors}>
            {words.show}
          </Button>
        </>
      );
    case 'unknown':
      return <State word={words.notChecked} tone="warn" shape="triangle" why={explain(failure).message} />;
  }
}

function showErrors(): void {
  const list = document.getElementById(ERRORS_ID);
  list?.scrollIntoView({ block: 'nearest' });
  list?.querySelector('button')?.focus({ preventScroll: true });
}
