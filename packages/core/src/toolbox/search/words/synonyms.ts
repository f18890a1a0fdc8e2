import { stemOf } from "./porter-stemmer.ts";

/** Words that people and tools use for the same thing, one group per line. A word may be in several groups. */
const GROUPS = `
get fetch retrieve read load obtain pull
list show enumerate display view browse
search find lookup query locate discover look
create add new make generate build insert produce compose
delete remove clear erase drop discard cancel
update edit modify change alter set adjust revise
send post submit deliver dispatch forward
message chat dm text notify
email mail inbox gmail
run execute invoke call trigger launch start
stop halt terminate kill end abort
download export save
upload import attach
convert transform translate change
calculate compute calculator math arithmetic evaluate
compare diff versus difference contrast
analyze analyse analysis examine inspect evaluate assess review
summarize summary summarise digest overview recap
schedule book reserve reservation appointment plan
calendar event meeting agenda
remind reminder alert notification alarm
weather forecast temperature climate rain
location place address geocode coordinates position
map navigation directions route navigate
distance far kilometers miles
restaurant food dining eat cafe
hotel accommodation lodging stay airbnb motel
flight airline plane airfare airport
train railway rail ticket
car vehicle auto automobile
price cost quote fee rate
stock share equity ticker market
crypto cryptocurrency bitcoin coin token
currency exchange fx money forex
finance financial investment invest
news headline article press
paper publication article research arxiv academic literature
movie film cinema
music song track audio
video clip youtube
image picture photo photograph figure
chart graph plot diagram visualization visualize
table spreadsheet excel sheet csv xlsx
document doc docx word file
slide presentation powerpoint ppt pptx deck
pdf document
file document path
folder directory
page webpage website site url web
browser navigate tab
repo repository project git
commit revision
branch fork
issue ticket bug task
code program script source snippet
database db sql table
user account person member profile contact people
customer client
team group organization company business
job career employment position vacancy hiring
product item goods merchandise shop shopping buy purchase
order purchase
recipe cook cooking meal dish
health medical doctor medicine patient disease
drug medication medicine
trial clinical study
gene variant mutation genomic dna
fitness exercise workout
game gaming play player
sport match team league
book novel read reading
quote quotation
joke humor funny
fact trivia
time date clock timezone hour
day today date
convert unit measurement
password secret credential token key
security vulnerability cve threat
ip address network host dns domain
log logs logging
error exception failure
test testing verify check validate
memory remember note recall knowledge
note memo
translate language translation
speech voice audio tts
random dice
museum art artwork painting
space astronomy nasa planet
library package dependency module docs documentation
model ai llm
trend trending popular hot top rank ranking
latest recent newest current
rank ranking top best leaderboard
detail details info information metadata
count number total amount quantity
rating review score
tax income salary
home house property real estate
pet animal dog cat
plant garden
university college school education course
law legal
government policy
travel trip tour vacation tourism itinerary visit
`;

let read: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/**
 * The synonyms of a stem, as stems. The groups are parsed with the first search, because most commands never search.
 */
export function synonymsOf(stem: string): ReadonlySet<string> | undefined {
  read ??= readGroups(GROUPS);
  return read.get(stem);
}

function readGroups(text: string): Map<string, Set<string>> {
  const synonyms = new Map<string, Set<string>>();
  for (const line of text.trim().split("\n")) {
    const group = line.split(" ").map(stemOf);
    for (const stem of group) {
      const others = synonyms.get(stem) ?? new Set<string>();
      synonyms.set(stem, others);
      for (const other of group) if (other !== stem) others.add(other);
    }
  }
  return synonyms;
}
