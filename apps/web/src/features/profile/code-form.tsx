import { CodeInput, isComplete } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import type { RouteRef } from '../../api/index.ts';
import { ApiFormBody, useApiForm } from '../../ui/index.ts';

/** The refusal of a form that asks for a code. */
export const WRONG_CODE = { 'factor.wrong': { typed: texts.signIn.wrong } };

interface CodeFormProps {
  /** The route that gets the code. */
  readonly route: RouteRef;
  readonly lead?: string;
  readonly button: string;
  readonly send: (code: string) => Promise<unknown>;
}

/** Asks for the code of the authenticator and shows a wrong one at its field. */
export function CodeForm({ route, lead, button, send }: CodeFormProps) {
  const form = useApiForm({
    route,
    initial: { typed: '' },
    refusals: WRONG_CODE,
    send: ({ typed }) => send(typed),
  });
  return (
    <ApiFormBody
      form={form}
      action={button}
      failed={texts.profile.notDone}
      isReady={isComplete('otp_code', form.values.typed)}
    >
      {lead !== undefined && <p style={{ margin: 0 }}>{lead}</p>}
      <CodeInput kind="otp_code" {...form.field('typed')} />
    </ApiFormBody>
  );
}
