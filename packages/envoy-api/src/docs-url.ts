import type { DescMessage } from '@bufbuild/protobuf';

const SITE = 'https://www.envoyproxy.io/docs/envoy';

/**
 * The page and anchor of a message in Envoy's documentation of `version`. Messages of other projects link to their own
 * pages.
 */
export function docsUrlOf(desc: DescMessage, version: string): string {
  const file = desc.file.name;
  const base = version === '' ? `${SITE}/latest` : `${SITE}/v${version}`;
  if (file.startsWith('envoy/')) {
    const anchor = `envoy-v3-api-msg-${slug(desc.typeName.replace(/^envoy\./, ''))}`;
    return `${base}/api-v3/${file.slice('envoy/'.length)}.proto#${anchor}`;
  }
  if (file.startsWith('contrib/envoy/')) {
    const anchor = `envoy-v3-api-msg-${slug(desc.typeName.replace(/^envoy\./, ''))}`;
    return `${base}/api-v3/${file.slice('contrib/envoy/'.length)}.proto#${anchor}`;
  }
  if (file.startsWith('xds/'))
    return `${base}/xds/${file.slice('xds/'.length)}.proto#envoy-v3-api-msg-${slug(desc.typeName)}`;
  if (file.startsWith('google/protobuf/')) {
    return `https://protobuf.dev/reference/protobuf/google.protobuf/#${slug(desc.name)}`;
  }
  return `${base}/api-v3/api`;
}

/** The beginning of the URL of a field's paragraph; the field's name with dashes follows. Undefined outside Envoy's API. */
export function fieldDocsUrlOf(docsUrl: string): string | undefined {
  const at = docsUrl.indexOf('#envoy-v3-api-msg-');
  return at < 0 ? undefined : `${docsUrl.replace('#envoy-v3-api-msg-', '#envoy-v3-api-field-')}-`;
}

/** As the documentation generator writes anchors: lowercase, with dashes for dots and underscores. */
function slug(name: string): string {
  return name.toLowerCase().replace(/[._]/g, '-');
}
