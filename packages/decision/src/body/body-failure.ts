/** Why a body could not be read. */
export type BodyFailure = 'body.too_large' | 'body.undecodable';
