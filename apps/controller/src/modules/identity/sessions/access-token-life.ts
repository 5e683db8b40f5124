/** Lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_S = 15 * 60;
