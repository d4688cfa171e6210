package charset

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Text says nothing of its encoding; each of these is one that its readers have
// used for it.
func TestEncodingsAreRecognised(t *testing.T) {
	texts := []struct {
		text      string
		encodings []encoding.Encoding
	}{
		{"Договор аренды. Арендатор обязуется уплатить 25 000 рублей до пятого числа каждого месяца.",
			[]encoding.Encoding{charmap.Windows1251, charmap.KOI8R, charmap.CodePage866, charmap.ISO8859_5, charmap.MacintoshCyrillic}},
		{"ПРИВЕТ МИР", []encoding.Encoding{charmap.Windows1251}},
		{"租赁合同。承租人应当在每月五日之前支付租金两万五千元。", []encoding.Encoding{simplifiedchinese.GB18030, simplifiedchinese.GBK}},
		{"租賃合同。承租人應當在每月五日之前支付租金兩萬五千元。", []encoding.Encoding{traditionalchinese.Big5}},
		{"賃貸借契約書。賃借人は毎月五日までに二万五千円を支払うものとします。", []encoding.Encoding{japanese.ShiftJIS, japanese.EUCJP, japanese.ISO2022JP}},
		{"임대차 계약서. 임차인은 매월 5일까지 이만오천 원을 지불해야 합니다.", []encoding.Encoding{korean.EUCKR}},
		{"Umowa najmu. Najemca zobowiązuje się płacić czynsz. Zażółć gęślą jaźń.", []encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2, charmap.CodePage852}},
		{"Příliš žluťoučký kůň úpěl ďábelské ódy.", []encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2}},
		{"Árvíztűrő tükörfúrógép, bérleti díj.", []encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2}},
		{"Le locataire paie le loyer : élève très doué, garçon, à côté.", []encoding.Encoding{charmap.Windows1252, charmap.ISO8859_15, charmap.Macintosh, charmap.CodePage850}},
		{"Der Mieter verpflichtet sich: Größe, Übermaß, Straße.", []encoding.Encoding{charmap.Windows1252, charmap.CodePage850, charmap.Macintosh}},
		{"¿Cuándo pagará el señor? Mañana, según el año.", []encoding.Encoding{charmap.Windows1252, charmap.CodePage850}},
		{"Kiracı her ayın beşinci gününe kadar kirayı ödemekle yükümlüdür. Şişli, İstanbul.", []encoding.Encoding{charmap.Windows1254}},
		{"Μισθωτήριο συμβόλαιο. Ο μισθωτής υποχρεούται να πληρώσει το ενοίκιο.", []encoding.Encoding{charmap.Windows1253, charmap.ISO8859_7}},
		{"חוזה שכירות. השוכר מתחייב לשלם את דמי השכירות.", []encoding.Encoding{charmap.Windows1255, charmap.ISO8859_8}},
		{"عقد إيجار. يلتزم المستأجر بدفع الإيجار قبل اليوم الخامس من كل شهر.", []encoding.Encoding{charmap.Windows1256, charmap.ISO8859_6}},
		{"สัญญาเช่า ผู้เช่าตกลงชำระค่าเช่าภายในวันที่ห้าของทุกเดือน", []encoding.Encoding{charmap.Windows874}},
		{"Nuomininkas įsipareigoja mokėti nuomą. Ačiū, žąsis, šuo.", []encoding.Encoding{charmap.Windows1257}},
		{"Café", []encoding.Encoding{charmap.Windows1252}},
		{"“quoted” – it’s 20 °C ± 1, 5 m², 1½, © 2020", []encoding.Encoding{charmap.Windows1252}},
		{"Łódź, Kraków", []encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2}},
	}
	for _, c := range texts {
		for _, e := range c.encodings {
			data, err := e.NewEncoder().Bytes([]byte(c.text + "\n"))
			if err != nil {
				t.Fatalf("%q cannot be written in %v: %v", c.text, e, err)
			}
			if got := strings.TrimSpace(Decode(data, len(data))); got != c.text {
				t.Errorf("in %v %q is read as %q", e, c.text, got)
			}
		}
	}
}

// Without a mark, UTF-16 is known by the zero bytes of its blanks and line ends,
// also where its letters have none.
func TestUTF16WithoutMark(t *testing.T) {
	for _, text := range []string{
		"Plain words in English.\n", "Договор аренды на год.\n", "租赁合同。承租人应当在每月五日之前支付租金。\n", "임차인은 매월 5일까지 지불해야 합니다.\n",
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			var data []byte
			for _, unit := range utf16.Encode([]rune(text)) {
				data = order.AppendUint16(data, unit)
			}
			if got := Decode(data, len(data)); got != text || IsBinary(data) {
				t.Errorf("%v: %q is read as %q (binary: %v)", order, text, got, IsBinary(data))
			}
		}
	}
	for _, binary := range []string{
		"ASCII words with a zero\x00 byte are no Chinese",
		"\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00\x08\x00",
	} {
		if utf16Order([]byte(binary)) != nil {
			t.Errorf("%q is taken for UTF-16", binary)
		}
	}
}
