import { Notice } from '../../../ui/index.ts';
import { ERRORS_ID } from './check-state.tsx';
import classes from './editing.module.css';
import type { PlacedError } from './policy-errors.ts';
import { texts } from './texts.tsx';
import type { PolicyCheck } from './use-policy-check.ts';

const wording = texts.policyFields;

const FINDINGS_SHOWN_MAX = 8;
const WARNINGS_OPEN_MAX = 3;

interface CheckFindingsProps extends Pick<PolicyCheck, 'errors' | 'warnings'> {
  readonly onGo: (error: PlacedError) => void;
}

/** Lists the errors in the text, or, if there are none, the warnings. */
export function CheckFindings({ errors, warnings, onGo }: CheckFindingsProps) {
  if (errors.length > 0) {
    return (
      <div id={ERRORS_ID} className={classes.errors}>
        <Notice tone="bad" title={wording.form.errors(errors.length)}>
          <ul className={classes.findings}>
            {errors.slice(0, FINDINGS_SHOWN_MAX).map((error) => (
              <li key={`${error.line} ${error.path} ${error.message}`}>
                <Finding error={error} onGo={onGo} />
              </li>
            ))}
            {errors.length > FINDINGS_SHOWN_MAX && <li>{wording.form.andMore(errors.length - FINDINGS_SHOWN_MAX)}</li>}
          </ul>
        </Notice>
      </div>
    );
  }
  if (warnings.length === 0) return null;
  return (
    <details className={classes.warnings} open={warnings.length <= WARNINGS_OPEN_MAX}>
      <summary>{wording.form.suggestions(warnings.length)}</summary>
      <ul className={classes.findings}>
        {warnings.map((warning) => (
          <li key={`${warning.line} ${warning.path} ${warning.message}`}>
            <Finding error={warning} onGo={onGo} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Finding({ error, onGo }: { error: PlacedError; onGo: (error: PlacedError) => void }) {
  const { line, path, message } = error;
  const words = (
    <>
      {line !== undefined && <strong>{wording.finding.atLine(line)}</strong>}
      <span className="mono">{path}</span> {message}
    </>
  );
  if (line === undefined) return words;
  return (
    <button type="button" className={classes.finding} onClick={() => onGo(error)}>
      {words}
    </button>
  );
}
