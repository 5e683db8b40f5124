import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RouteRef } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';

interface KeySectionProps {
  /** Value of `?rotate=` while the dialog is open. */
  readonly which: 'data' | 'master' | 'signing';
  readonly title: string;
  readonly about: string;
  /** Label of the button that opens the dialog. */
  readonly action: string;
  /** The button is hidden without permission for this route. */
  readonly rotation: RouteRef;
  readonly question: ReactNode;
  readonly children: ReactNode;
}

/** Shows one kind of keys: purpose, list and rotation. */
export function KeySection({ which, title, about, action, rotation, question, children }: KeySectionProps) {
  const can = useCan();
  const url = useUrlState();
  const canRotate = can(rotation);
  return (
    <Section
      title={title}
      actions={
        canRotate && (
          <Button variant="default" onClick={() => url.set({ rotate: which }, 'push')}>
            {action}
          </Button>
        )
      }
    >
      <p className={layout.note}>{about}</p>
      {children}
      {canRotate && question}
    </Section>
  );
}
