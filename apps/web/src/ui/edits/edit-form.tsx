import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Notice, Problem } from '../notice.tsx';
import { texts } from '../texts.tsx';
import { FieldClashes } from './field-clashes.tsx';
import type { Fields } from './field-edits.ts';
import type { EditForm } from './use-edit-form.ts';

interface EditFormBodyProps<T extends Fields> {
  readonly form: EditForm<T>;
  readonly labels: Readonly<Record<keyof T & string, string>>;
  /** Subject of the error: `The project was not changed`. */
  readonly failed: string;
  /** Offers to discard the changes: for a form that stays on the page. */
  readonly canDiscard?: boolean;
  readonly children: ReactNode;
}

/** Inputs of a form over a stored record, with clashes, errors and buttons. */
export function EditFormBody<T extends Fields>(props: EditFormBodyProps<T>) {
  const { form, labels, failed, canDiscard = false, children } = props;
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="md" maw={canDiscard ? 520 : undefined}>
        {children}
        <FieldClashes
          clashes={form.clashes}
          labels={labels}
          onTakeTheirs={form.takeTheirs}
          onKeepMine={form.keepMine}
        />
        {form.isMerged && (
          <Notice tone="warn" title={texts.fieldClashes.table.changedMeanwhile}>
            {texts.editForm.merged}
          </Notice>
        )}
        {form.failure !== undefined && <Problem error={form.failure} what={failed} />}
        <Group gap="xs">
          <Button type="submit" loading={form.isBusy} disabled={!form.canSubmit}>
            {texts.editForm.save}
          </Button>
          {canDiscard && form.isChanged && (
            <Button variant="default" onClick={form.discard}>
              {texts.editForm.discard}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
