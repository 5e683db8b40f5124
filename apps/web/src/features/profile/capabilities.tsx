import { type RouteRef, routes } from '../../api/index.ts';
import { useCan, useProjectIfAny } from '../../app/project.tsx';
import { capabilitiesTexts } from '../../shell/sign-in-texts.ts';
import { Section, State } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';

const text = capabilitiesTexts;

interface Subject {
  readonly name: string;
  readonly see: Pick<RouteRef, 'id' | 'access'>;
  readonly change: Pick<RouteRef, 'id' | 'access'>;
}

const SUBJECTS: readonly Subject[] = [
  { name: text.configuration, see: routes.xds.list, change: routes.xds.create },
  { name: text.policies, see: routes.policy.list, change: routes.policy.create },
  { name: text.services, see: routes.fleet.services, change: routes.service.create },
  { name: text.commands, see: routes.command.list, change: routes.command.dispatch },
  { name: text.clients, see: routes.fleet.clients, change: routes.client.remove },
  { name: text.users, see: routes.user.list, change: routes.user.create },
  { name: text.tokens, see: routes.apiToken.list, change: routes.apiToken.create },
  { name: text.settings, see: routes.setting.get, change: routes.setting.replace },
  { name: text.audit, see: routes.audit.list, change: routes.audit.export },
];

/** Shows the user's rights in the open project, by subject. */
export function Capabilities() {
  const can = useCan();
  const project = useProjectIfAny();
  if (!project) return null;
  return (
    <Section title={text.title(project.name)}>
      <ul className={lines.rows} aria-label={text.title(project.name)}>
        {SUBJECTS.map(({ name, see, change }) => (
          <li key={name} className={lines.row}>
            <span className={lines.grow}>{name}</span>
            <Extent isSeen={can(see)} isChanged={can(change)} isRecord={see === routes.audit.list} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ExtentProps {
  readonly isSeen: boolean;
  readonly isChanged: boolean;
  /** Whether the subject is a record, which can only be exported: the audit log. */
  readonly isRecord: boolean;
}

function Extent({ isSeen, isChanged, isRecord }: ExtentProps) {
  if (isChanged) return <State word={isRecord ? text.export : text.change} tone="good" shape="full" />;
  if (isSeen) return <State word={text.see} tone="quiet" shape="full" />;
  return <State word={text.nothing} tone="quiet" shape="ring" />;
}
