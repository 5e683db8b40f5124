import { AlikeNames } from './alike-names.ts';

/**
 * Headers by which frameworks take a request for one of another method: Slim and Yii whatever its own is, Express where it is told so.
 */
export const METHOD_OVERRIDES = new AlikeNames(['x-http-method-override', 'x-http-method', 'x-method-override']);
