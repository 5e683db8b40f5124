import { DEFAULTS_TYPE, defaultOf } from '../../../editor/policy/policy-messages.ts';
import { asRecord } from '../../../yaml/plain.ts';
import { PolicyField } from '../fields/policy-field.tsx';
import { AnswerFields } from './answer-fields.tsx';
import { ErrorCount } from './error-count.tsx';
import classes from './form.module.css';
import { usePolicyForm } from './form-context.ts';
import { textOf } from './policy-view.ts';
import { texts } from './texts.tsx';

const text = texts.defaultsForm;

const PATH = ['spec', 'defaults'];

/** Edits the defaults of the policy: mode, fail mode, bodies, time. */
export function DefaultsForm({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  const { defaults, errorsWithin } = usePolicyForm();
  const field = (name: string) => <PolicyField type={DEFAULTS_TYPE} name={name} path={PATH} members={defaults} />;
  return (
    <section className={classes.part} aria-label={text.section.title}>
      <div className={classes.head}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          {text.section.toggle(
            <span className={classes.mark} aria-hidden>
              {isOpen ? '▾' : '▸'}
            </span>,
          )}
        </button>
        <ErrorCount errors={errorsWithin(PATH)} />
        {!isOpen && <span className={classes.dimmed}>{describeDefaults(defaults)}</span>}
      </div>
      {isOpen && (
        <div className={classes.fields}>
          {field('mode')}
          {field('fail_mode')}
          {field('inspect_request_body')}
          {field('max_request_body_bytes')}
          {field('timeout')}
          <AnswerFields path={[...PATH, 'block_response']} members={asRecord(defaults.block_response) ?? {}} />
        </div>
      )}
    </section>
  );
}

function describeDefaults(defaults: Readonly<Record<string, unknown>>): string {
  const mode = textOf(defaults.mode) || defaultOf(DEFAULTS_TYPE, 'mode');
  const fail = textOf(defaults.fail_mode) || defaultOf(DEFAULTS_TYPE, 'fail_mode');
  const cap = Number(defaults.max_request_body_bytes);
  const bodies =
    defaults.inspect_request_body === true
      ? text.summary.bodiesRead(
          cap > 0 ? text.summary.upToBytes(cap.toLocaleString('en')) : '',
          textOf(defaults.timeout) || (defaultOf(DEFAULTS_TYPE, 'timeout') ?? ''),
        )
      : text.summary.bodiesNotRead;
  return text.summary.whole(mode ?? '', fail ?? '', bodies);
}
