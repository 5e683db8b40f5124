/** Words that name a choice: formats, periods, and the codes of ISO 639-1, 3166-1 and 4217 that APIs use most. They are rarely the name of a resource. */
const CHOICES: ReadonlySet<string> = new Set(
  `
json xml csv tsv yaml yml html htm pdf txt text xlsx xls rss atom png jpg jpeg gif svg webp zip geojson kml jsonp js md doc docx
day daily week weekly month monthly year yearly hour hourly quarter quarterly minute second today yesterday tomorrow annual
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
asc desc yes no on off true false null none small medium large low high low male female
ab ae af ak am ar as az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms mt my nb
ne nl nn no or pa pl ps pt ro ru rw sd si sk sl so sq sr sv sw ta te tg th tk tr tt uk ur uz vi yo zh zu
ad al ao at au ba bb bd bh bi bj bo br bw by bz cd cf cg ch ci cl cm cn co cr cu cz dj dk dm do dz ec ee eg er fj gb ge gh gm gn gr gt gy hk hn ht ie il in iq ir
jm jo jp ke kg kh kr kw kz lb lc li lk lr ls lu ly ma mc md me mg mm mr mu mv mw mx mz na ng ni np nz om pe pg ph pk pr ps py qa rs sa sc se sg sn sv sy sz td tg tn
tw tz ua ug us uy va vc ve vn ye za zm zw
usd eur gbp jpy chf cad aud nzd sek nok dkk pln czk huf ron bgn try rub inr cny krw sgd hkd twd thb idr php myr mxn brl ars clp cop zar ngn kes egp ils aed sar btc
eth ltc xrp bch usdt usdc bnb doge sol ada
`
    .trim()
    .split(/\s+/),
);

const LOCALE = /^[a-z]{2}[-_][a-zA-Z]{2}$/;

export function isChoice(value: string): boolean {
  return value.length <= 10 && (CHOICES.has(value.toLowerCase()) || LOCALE.test(value));
}
