import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../app/project.tsx';
import { Empty, Loaded } from '../../ui/index.ts';
import { texts } from './texts.tsx';
import { useServices } from './use-inventory.ts';

const text = texts.discoveryOff;

/** For a screen without data: says that no service reports its requests, if that is so. */
export function DiscoveryHint({ otherwise }: { otherwise: ReactNode }) {
  const project = useProject();
  const services = useServices();
  return (
    <Loaded query={services} what={text.what} skeleton={3}>
      {({ body: { items } }) =>
        items.some(({ api_discovery: isOn }) => isOn) ? (
          otherwise
        ) : (
          <Empty
            title={text.title}
            action={
              <Button
                renderRoot={(props) => <Link {...props} to="/p/$project/services" params={{ project: project.name }} />}
              >
                {text.action}
              </Button>
            }
          >
            {text.text}
          </Empty>
        )
      }
    </Loaded>
  );
}
