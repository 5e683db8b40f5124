import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RouteRef } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';

interface KeySectionProps {
  /** What `?rotate=` says while the question is open. */
  readonly which: 'data' | 'master' | 'signing';
  readonly title: string;
  readonly about: string;
  /** On the button that opens the question. */
  readonly action: string;
  /** Who may not call it is not asked. */
  readonly rotation: RouteRef;
  readonly question: ReactNode;
  /** The keys. */
  readonly children: ReactNode;
}

/** One kind of keys: what they are for, which there are, and the way to a new one. */
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
