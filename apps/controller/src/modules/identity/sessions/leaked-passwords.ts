/**
 * The most frequent leaked passwords of the published collections, shipped so that no external service is asked. Small
 * on purpose: long passwords that are not one of these plus a number are rare in the collections.
 */

/** Words that they consist of: alone, repeated, combined, or with digits and signs around them. */
const STEMS = new Set(
  `password passwort passw0rd pass passwd passphrase passcode parola contrasena motdepasse wachtwoord haslo senha sifre
  secret secure security login logon signin welcome willkommen bienvenue bienvenido admin administrator root user superuser
  sysadmin username default changeme change letmein let trustno monkey dragon master shadow sunshine princess football
  baseball basketball volleyball superman batman spiderman iloveyou love lovely lover loveme michael jordan jennifer charlie
  donald hunter ranger buster thomas robert soccer hockey killer george andrew jessica pepper daniel access joshua maggie
  starwars silver william dallas yankees ashley amanda orange biteme freedom computer michelle austin matrix flower cheese
  whatever nicole chelsea summer winter spring autumn fall test testing tester temp temporary guest hello hallo hola bonjour
  ciao monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december qwerty qwertz azerty qwertyuiop qwertzuiop qwert asdf asdfgh asdfghjkl asdfjkl zxcvbnm zxcvbn
  qazwsx qazwsxedc qweasd qweasdzxc qwe asd zxc zaq xsw cde wsx qaz edc correcthorsebatterystaple envoy proxy flotilla
  controller server system service internet company opensesame abc abcd abcde abcdef abcdefgh abcdefghi abcdefghij
  abcdefghijkl abcdefghijklmnop abcdefghijklmnopqrstuvwxyz iloveu trustnoone nothing something anything mustang corvette
  ferrari porsche mercedes toyota samsung google facebook linkedin microsoft windows apple android oracle cisco linux ubuntu
  debian docker kubernetes database postgres mysql network router switch firewall gateway production staging develop
  developer devops operator support helpdesk office manager backup demo example sample training school student teacher
  family forever friend friends mother father brother sister mommy daddy baby babygirl angel jesus christ heaven blessed
  faith grace god money lucky happy smile sweet honey cookie chocolate banana pumpkin peanut butterfly rainbow purple yellow
  green black white blue red golden diamond crystal phoenix eagle falcon tiger lion wolf panther cowboy cowboys steelers
  liverpool arsenal barcelona realmadrid juventus manchester united america england france germany deutschland berlin london
  paris madrid italia brasil mexico canada california florida texas newyork chicago boston pokemon naruto minecraft roblox
  fortnite playstation nintendo gandalf merlin pirate ninja samurai warrior legend hacker samantha anthony matthew jonathan
  alexander christopher benjamin nicholas elizabeth stephanie veronica victoria alexandra patricia fernando carlos francisco
  alejandro sebastian martin maria peter stefan andreas christian florian tobias katharina julia monika marina natasha
  svetlana tatiana vladimir dmitry sergey nikita gfhjkm privet parol lozinka salasana losenord lösenord jelszo heslo
  asdasd qweqwe zxczxc asdfasdf qwerqwer poiuytrewq lkjhgfdsa mnbvcxz poiuyt secretword mypassword thepassword yourpassword
  ourpassword newpassword oldpassword nopassword blank enter entry open sesame unlock lock key keys start begin finish`.split(
    /\s+/,
  ),
);

/** Complete passwords that are not words, such as keyboard walks, of eight characters or more. */
const WALKS = new Set(
  `1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o 1q2w3e4r5t6y7u8i9o0p q1w2e3r4
  q1w2e3r4t5 q1w2e3r4t5y6 q1w2e3r4t5y6u7 q1w2e3r4t5y6u7i8 1qaz2wsx 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qaz2wsx3edc4rfv5tgb
  !qaz2wsx !qaz2wsx#edc !qaz2wsx3edc !qaz@wsx !qaz@wsx#edc !qaz@wsx#edc$rfv 1qaz@wsx 1qaz@wsx3edc 1qazxsw2 1qazxsw23edc
  1qazxsw23edcvfr4 zaq12wsx zaq12wsxcde3 zaq12wsxcde34rfv zaq1zaq1 zaq1xsw2 zaq1xsw2cde3 zaq!2wsx zaq!xsw2cde# xsw2zaq1
  qazwsx123456 qweasdzxc123 1234qwer 1234qwerasdf 1234qwerasdfzxcv qwer1234 qwer1234asdf qwerasdfzxcv 1q2w3e 123qwe123qwe
  123qweasd 123qweasdzxc 123qwe!@# !@#qweasd !@#qweasdzxc 1234rewq asdf1234 asdf1234qwer zxcv1234 1a2b3c4d 1a2b3c4d5e
  1a2b3c4d5e6f a1b2c3d4 a1b2c3d4e5 a1b2c3d4e5f6 a1s2d3f4 a1s2d3f4g5 a1s2d3f4g5h6 q2w3e4r5t6 2wsx3edc 2wsx3edc4rfv
  3edc4rfv 3edc4rfv5tgb 4rfv5tgb 5tgb6yhn 6yhn7ujm qscvhi qawsedrf qawsedrftg qawsedrftgyh 147258369 147258369147
  159357456 159753456852 741852963 741852963741 789456123 789456123789 963852741 987456321 123654789 321654987 112233445566
  123123123123 121212121212 123456123456 123456789987 123456654321 098765432109 010203040506 102030405060 135792468
  !@#$%^&* !@#$%^&*() !@#$%^&*()_+ 1!2@3#4$5% 1!2@3#4$5%6^ p@$$w0rd p@55w0rd pa$$w0rd pa55w0rd pa55word t3st1234 adm1n123
  ncc1701d ncc1701e thx1138 bond007 agent007 jamesbond007 qwerty1qaz qwertyuiop[] asdfghjkl;' zxcvbnm,./ 1029384756
  1029384756qp 12qwaszx 12qwaszx34er qwaszx12 qwaszxerdfcv 12wq!@wq`.split(/\s+/),
);

const LONGEST_STEM = Math.max(...[...STEMS].map((stem) => stem.length));

/** A stem, or several stems in a row. */
export function isLeakedWord(word: string): boolean {
  const ends = new Set([0]);
  for (const start of ends) {
    for (let end = start + 3; end <= Math.min(word.length, start + LONGEST_STEM); end += 1) {
      if (STEMS.has(word.slice(start, end))) ends.add(end);
    }
  }
  return ends.has(word.length);
}

/** A keyboard walk, optionally with digits and signs at the end. Lower case. */
export function isLeakedWalk(text: string): boolean {
  if (WALKS.has(text)) return true;
  for (let end = text.length - 1; end >= 8 && /[^\p{L}]/u.test(text[end] ?? ''); end -= 1) {
    if (WALKS.has(text.slice(0, end))) return true;
  }
  return false;
}
