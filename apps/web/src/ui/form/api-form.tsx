import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from '../notice.tsx';
import { texts } from '../texts.tsx';
import type { ApiForm } from './use-api-form.ts';

interface ApiFormBodyProps {
  readonly form: Pick<ApiForm<Record<string, unknown>>, 'submit' | 'failure' | 'isBusy' | 'canSubmit'>;
  /** Verb on the button. */
  readonly action: string;
  /** Subject of the error: `The group was not created`. */
  readonly failed: string;
  /** Explains some errors itself, or hides them with null. */
  readonly explain?: (error: unknown) => ReactNode;
  readonly isDangerous?: boolean;
  /** More conditions of the button than those of the fields. */
  readonly isReady?: boolean;
  /** Shown beside the button. */
  readonly hint?: string;
  /** True: the form is on a page, which is wider than a drawer. */
  readonly isOnPage?: boolean;
  /** For dialogs: adds a button that cancels. */
  readonly onCancel?: () => void;
  readonly children: ReactNode;
}

/** Inputs of a form with its error and its buttons. */
export function ApiFormBody(props: ApiFormBodyProps) {
  const { form, action, failed, explain, isDangerous, isReady = true, hint, isOnPage, onCancel, children } = props;
  const explained = form.failure === undefined ? null : explain?.(form.failure);
  const submit = (
    <Button
      type="submit"
      color={isDangerous ? 'red.9' : undefined}
      loading={form.isBusy}
      disabled={!form.canSubmit || !isReady}
    >
      {action}
    </Button>
  );
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="md" maw={isOnPage ? 440 : undefined}>
        {children}
        {explained === undefined ? <Problem error={form.failure} what={failed} /> : explained}
        {onCancel ? (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onCancel} data-autofocus={isDangerous}>
              {texts.confirm.cancel}
            </Button>
            {submit}
          </Group>
        ) : (
          <Group gap="xs">
            {submit}
            {hint !== undefined && (
              <Text c="dimmed" size="sm">
                {hint}
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </form>
  );
}
