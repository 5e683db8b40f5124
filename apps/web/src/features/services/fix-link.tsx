import { ClientLink, DocumentLink, PolicyLink, ServiceEditLink } from '../../app/links.tsx';
import classes from './service.module.css';
import { texts } from './texts.tsx';
import type { ConfigError, Service } from './types.ts';

const text = texts.fixLink;

interface FixLinkProps {
  readonly fixAt: ConfigError['fix_at'];
  readonly service: Pick<Service, 'id' | 'name' | 'targets'>;
  /** Keys `collection/name` of existing documents. */
  readonly known: ReadonlySet<string>;
}

/** Links to the object to change. Renders nothing for a document that does not exist. */
export function FixLink({ fixAt, service, known }: FixLinkProps) {
  const nameOf = (id: string) => service.targets.find(({ client_id }) => client_id === id)?.client_name ?? id;
  switch (fixAt.kind) {
    case 'document': {
      if (!known.has(`${fixAt.collection}/${fixAt.name}`)) return null;
      const history = (
        <DocumentLink {...fixAt} tab="history">
          {text.lastChange}
        </DocumentLink>
      );
      return <div className={classes.side}>{text.inDocument(<DocumentLink {...fixAt} />, history)}</div>;
    }
    case 'service_clients':
      return (
        <div className={classes.side}>
          {text.in(
            <ServiceEditLink id={service.id} anchor="clients">
              {text.addresses(service.name)}
            </ServiceEditLink>,
          )}
        </div>
      );
    case 'service':
      return (
        <div className={classes.side}>
          {text.in(
            <ServiceEditLink id={service.id}>
              <bdi>{service.name}</bdi>
            </ServiceEditLink>,
          )}
        </div>
      );
    case 'policies':
      return (
        <div className={classes.side}>
          {text.in(
            fixAt.names.map((name, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <PolicyLink name={name} />
              </span>
            )),
          )}
        </div>
      );
    case 'client':
      return (
        <div className={classes.side}>
          {text.onHost(<ClientLink id={fixAt.client_id} name={nameOf(fixAt.client_id)} />)}
        </div>
      );
  }
}
