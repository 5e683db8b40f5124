import { isJsonObject, type JsonValue } from '@flotilla/envoy-api';
import { type Restriction, restrict } from './reach.ts';

const RUNTIME = restrict('control_plane', 'switches features of Envoy that its configuration is checked by');
/** Feature switches, including how an extension is looked up. Other keys are the document's own. */
const SWITCH = /^(?:envoy(?:\.|$)|re2(?:\.|$))/;

/** Keys are flat (`envoy.reloadable_features.x`) or nested; the first part decides. */
export function restrictionOfRuntime(layer: JsonValue): Restriction | undefined {
  return isJsonObject(layer) && Object.keys(layer).some((key) => SWITCH.test(key)) ? RUNTIME : undefined;
}
