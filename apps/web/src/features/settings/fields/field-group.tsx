import { Fieldset, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** Fields of an object or of a list within the form. */
export function FieldGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Fieldset legend={label} variant="default">
      <Stack gap={14}>{children}</Stack>
    </Fieldset>
  );
}
