package text

// stopWords returns the words of a language that say nothing about a topic,
// normalized. Single letters that elision and contraction leave behind are among
// them.
func stopWords(language string) map[string]bool {
	list, ok := stopLists[language]
	if !ok {
		return nil
	}
	return WordSet(list)
}

// stopLists holds the function words of the languages that can be told apart
// and stemmed. English adds the words that questions are made of.
var stopLists = map[string]string{
	"en": `a about above after again against all also although am among an and any are aren as at be became
		because been before being below between both but by can cannot could couldn d did didn do does doesn doing
		don done down during each either else ever every few for from further had hadn has hasn have haven having he
		her here hers herself him himself his how however i if in into is isn it its itself just ll m may me might
		more most much must mustn my myself neither no nor not now of off often on once only or other our ours
		ourselves out over own quite rather re s same shall shan she should shouldn since so some such t than that
		the their theirs them themselves then there these they this those through thus to too under until up upon us
		ve very was wasn we were weren what when where whether which while who whom whose why will with within
		without won would wouldn yet you your yours yourself yourselves`,
	"de": `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus
		bei beim bin bis bist da damit dann das dass dasselbe dazu dein deine deinem deinen deiner dem den denn der
		des dessen die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines
		einig einige er es etwas euch euer eure für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich
		ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist jede jedem jeden jeder jedes jene jener jetzt kann
		kein keine keinem keinen keiner können könnte machen man manche mein meine meinem meinen meiner mich mir mit
		muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie
		sind so solche soll sollte sondern sonst über um und uns unser unsere unter viel vom von vor während war waren
		warst was weg weil weiter welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird
		wirst wo wollen wollte wurde wurden zu zum zur zwar zwischen`,
	"fr": `à ai aie aient ait alors après as au aucun aussi autre aux avaient avait avant avec avez avoir avons c car ce
		ceci cela celle celles celui ces cet cette ceux chaque comme comment d dans de depuis des donc dont du elle elles
		en encore entre est et étaient était étant été être eu eux fait faut fut il ils j je jusqu l la laquelle le
		lequel les lesquels leur leurs lors lui m ma mais me même mes moi moins mon n ne ni non nos notre nous on ont ou
		où par parce pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se selon
		sera serait ses si son sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vos votre vous y`,
	"es": `a al algo algunas algunos ante antes aquel aquella como con contra cual cuál cuales cuando cuándo cuánto de
		del desde donde dónde durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está
		estaba estado están estar estas este esto estos fue fueron ha había habían han hasta hay la las le les lo los más
		me mi mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por
		porque pues que qué quien quién quienes se sea ser si sí sido sin sobre son su sus también tanto te tiene tienen
		todo todos tu tus un una uno unos usted y ya yo`,
	"it": `a ad agli ai al alla alle allo anche avere aveva avevano c che chi ci ciò coi col come con contro cosa cui d da
		dagli dai dal dalla dalle dallo degli dei del della delle dello di dove due e è ed era erano essere essi fra fu
		furono gli ha hanno ho i il in io l la le lei lo loro lui m ma mi mia mie miei mio molto ne negli nei nel nella
		nelle nello noi non nostra nostro o ogni per perché più poi qual quale quali quando quanti quanto quella quelle
		quelli quello questa queste questi questo s sarà se sei si sia sono sta stata stati stato su sua sue sugli sui sul
		sulla sulle suo suoi t tra tu tutti tutto un una uno v vi voi`,
	"pt": `a à ao aos aquela aquele aqueles as às até com como da das de dela dele deles depois do dos e é ela elas ele
		eles em entre era eram essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me mesmo meu minha
		muito na não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque qual quais
		quando quanto que quem são se sem ser seu seus só sobre sua suas também te tem têm tinha um uma umas uns você vocês`,
	"nl": `aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen
		geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer
		men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u
		uit uw van veel voor waar waarom wanneer want waren was wat welke werd wezen wie wij wil worden wordt zal ze zelf
		zich zij zijn zo zonder zou`,
	"sv": `alla allt att av bli blev de dem den denna deras dess dessa det detta dig din dina ditt du där då efter ej eller
		en er ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag ju kan kunde man
		med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina sitta
		själv skulle som så sådan till under upp ut utan vad var vara varför varit varje vart vem vi vid vilka vilken vilket
		är över`,
	"no": `alle at av ble bli både da de dei deg dem den denne der dere deres det dette di din disse du eller en enn er et
		ett etter for fra ha hadde han hans har hun hva hvem hver hvilken hvis hvor hvordan hvorfor i ikke ingen inn jeg kan
		kom kun kunne man mange med meg mellom men min mot mye må ned noe noen nå når og også om opp oss over på seg selv si
		sin sine skal skulle slik som så til ut uten var ved vi vil ville være vært å`,
	"da": `af alle alt at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end
		er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvilken hvis hvor hvordan hvorfor i
		ikke ind jeg jer jo kunne man mange med meget men mig min mod må ned noget nogle nu når og også om op os over på
		selv sig sin skal skulle som sådan thi til ud under var ved vi vil ville vor være været`,
	"fi": `ei eivät ehkä että en enää hän häntä he heidän ilman itse ja jo joka joka jonka jos jossa jota jotka kanssa
		kaikki kuin kuinka kuka kun me meidän mikä miksi milloin minä missä mitä mukaan mutta myös ne niiden niin nyt ole
		oli olisi olivat olla on ovat saa se sekä sen siellä sillä sinä sitä tai tämä tämän te tuo vain vaikka voi yli`,
	"ru": `а без более больше будет будто бы был была были было быть в вам вас весь во вот все всего всех вы где да даже два
		для до его ее её если есть еще ещё же за здесь и из или им их к как какая какой какие ко когда кого который кто куда
		ли между меня мне много может можно мой мы на над надо нас не него нее ней нельзя нет ни нибудь них но ну о об один
		он она они оно от перед по под после потом потому почти при про раз с сам свою себе себя сейчас со совсем так такой
		там тебя тем теперь то тогда того тоже только том тот три тут ты у уж уже хорошо хоть чего чем через что чтобы чуть
		эти это этого этой этом этот эту я`,
	"ro": `a acea aceasta această aceste acest acesta al ale am ar are as așa au avea că când care ce cel cea cele cei cine
		cu cum da dar de decât deci despre din după ea ei el ele era este eu fi fie fost iar în între îi își la le lor lui
		mai mult ne ni nici noi nu o ori pe pentru peste prin sa să sale sau se și sunt un una unde unei unor unui va vor`,
	"hu": `a az abban ahhoz ahogy ahol aki akik akkor által általában amely amelyek ami amit annak arra át azok azon azt
		azért be bár cikk csak de e ebben egy egyik egyéb el előtt első elég ennek ez ezek ezen ezért és ezt fel hanem hogy
		hogyan ha ide ilyen is itt jó kell két ki kívül le lehet lenne lesz lett maga már más még meg mely mert mi mik mint
		míg minden mit most nagy nem ő ők olyan ott össze s saját sem sok szerint szinte talán tehát több tovább után utána
		úgy vagy vagyis vannak van volna volt voltak`,
	"tr": `acaba ama ancak artık aslında az bana bazı belki ben beni benim bir biraz biri birkaç birçok biz bize bizim böyle bu
		buna bunda bundan bunlar bunu bunun çok çünkü da daha de değil diye en gibi göre hangi hem hep her hiç için ile ise
		kadar kendi ki kim mı mi mu mü nasıl ne neden nerede nereye niçin niye o olan olarak oldu olduğu on onlar onu onun
		sadece sen siz sonra şey şu tüm üzere var ve veya ya yani yok`,
}
